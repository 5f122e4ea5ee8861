/// The style and the script of the page, written into it as they are; the page's policy names their digests.
enum FeedPageTemplate {
  static let style = """
    :root{--text:#1b1c1e;--quiet:#50565e;--line:#c9ced4;--back:#fff;--card:#f5f6f8;--link:#0a4fb8;--good:#0b6130;--bad:#a31515}
    @media (prefers-color-scheme:dark){:root{--text:#e8e9eb;--quiet:#b1b7bf;--line:#454b53;--back:#141619;--card:#1e2125;--link:#8ab8ff;--good:#7fd8a0;--bad:#ff9c94}}
    *{box-sizing:border-box}
    html{color-scheme:light dark}
    body{margin:0 auto;padding:1rem;max-width:72rem;font:1rem/1.5 system-ui,sans-serif;color:var(--text);background:var(--back);overflow-wrap:anywhere}
    h1{font-size:1.6rem;line-height:1.2;margin:.5rem 0}
    h2{font-size:1.3rem;margin:2rem 0 .5rem}
    h3{font-size:1.05rem;margin:.25rem 0}
    p{margin:.25rem 0}
    a{color:var(--link)}
    code,pre{font:.875em/1.5 ui-monospace,monospace}
    pre{background:var(--card);padding:.75rem;overflow-x:auto}
    a:focus-visible,button:focus-visible,input:focus-visible,select:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--link);outline-offset:2px}
    nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;padding:0;margin:.5rem 0}
    nav a,footer a{display:inline-block;padding:.25rem 0}
    .skip{position:absolute;left:-99rem}
    .skip:focus{left:1rem;top:.5rem;background:var(--back);padding:.5rem}
    .vh{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
    .card{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.75rem 1rem;margin:.5rem 0}
    .notes{white-space:pre-line}
    .key,footer,caption,#count{color:var(--quiet)}
    .tag{border:1px solid currentColor;border-radius:1rem;padding:0 .5rem;font-size:.85rem;white-space:nowrap}
    .good{color:var(--good)}
    .bad{color:var(--bad)}
    .scroll{overflow-x:auto;position:relative}
    table{border-collapse:collapse;width:100%;margin:.5rem 0}
    caption{text-align:left}
    th,td{text-align:left;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line);vertical-align:top;font-weight:400}
    thead th{font-weight:600;white-space:nowrap}
    #table{min-width:44rem}
    #table th code{color:var(--quiet)}
    #adult:not(:checked)~.scroll tr[data-a]{display:none}
    #adult{width:1.25rem;height:1.25rem;margin:0 .25rem 0 0;vertical-align:middle}
    label[for=adult]{vertical-align:middle}
    form{display:flex;flex-wrap:wrap;gap:.5rem 1rem;margin:.5rem 0}
    form[hidden],tr[hidden],button[hidden]{display:none}
    input[type=search],select,button{font:inherit;color:inherit;background:var(--back);border:1px solid var(--quiet);border-radius:.25rem;padding:.25rem .5rem;min-height:2rem;max-width:100%}
    .releases{padding:0;list-style:none}
    .releases>li{border-bottom:1px solid var(--line);padding:.5rem 0}
    details ul{margin:.25rem 0;padding-left:1.25rem}
    summary{cursor:pointer;padding:.15rem 0}
    footer{margin-top:2rem}
    @media print{nav,form,button,.skip,#adult,label[for=adult]{display:none!important}.scroll{overflow:visible}#table{min-width:0}}
    """

  static let script = """
    (function(){
    "use strict";
    var byId=function(id){return document.getElementById(id)};
    document.querySelectorAll("button[data-copy]").forEach(function(b){
    b.hidden=false;
    b.addEventListener("click",function(){
    var done=function(){var t=b.firstChild;t.data="Copied";setTimeout(function(){t.data="Copy"},2000)};
    if(navigator.clipboard)navigator.clipboard.writeText(b.dataset.copy).then(done,function(){});
    });
    });
    var form=byId("filters"),table=byId("table");
    if(!form||!table)return;
    form.hidden=false;
    var count=byId("count"),search=byId("q"),adult=byId("adult"),selects=Array.from(form.querySelectorAll("select"));
    var rows=null;
    var plain=function(t){return t.normalize("NFKD").replace(/\\p{M}/gu,"").toLowerCase()};
    var read=function(){
    if(rows)return;
    rows=Array.from(table.tBodies[0].rows,function(r){
    var c=r.cells;
    return{row:r,text:plain(r.textContent),columns:{1:c[1].textContent,2:c[2].textContent,4:c[4].firstElementChild&&c[4].firstElementChild.className?c[4].firstElementChild.textContent:c[4].textContent},adult:r.hasAttribute("data-a"),shown:true};
    });
    };
    var filter=function(){
    read();
    var words=plain(search.value).split(/\\s+/).filter(Boolean),all=!adult||adult.checked,found=0;
    var wanted=selects.filter(function(s){return s.value}).map(function(s){return[s.dataset.column,s.value]});
    for(var i=0;i<rows.length;i++){
    var r=rows[i];
    var fits=words.every(function(w){return r.text.indexOf(w)>=0})&&wanted.every(function(w){return r.columns[w[0]]===w[1]});
    if(fits!==r.shown){r.row.hidden=!fits;r.shown=fits}
    if(fits&&(all||!r.adult))found++;
    }
    count.textContent=found+" of "+rows.length+" sources";
    };
    form.addEventListener("submit",function(e){e.preventDefault()});
    search.addEventListener("input",filter);
    selects.forEach(function(s){s.addEventListener("change",filter)});
    if(adult)adult.addEventListener("change",filter);
    })();
    """
}
