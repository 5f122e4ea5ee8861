import OTACrypto
import OTAManifest
import OTATransfer
import Testing

@testable import ParserPublisher

/// Requests to object stores are signed as the published examples are.
@Suite struct SignatureTests {
  private let signature = RequestSignature(
    credentials: StoreCredentials(
      keyID: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", sessionToken: nil),
    region: "us-east-1")
  private let host = "examplebucket.s3.amazonaws.com"
  private let moment = "20130524T000000Z"

  // Source: "Authenticating Requests: Using the Authorization Header" of the documentation of S3.
  @Test("the four examples of S3 come out as they are printed")
  func examples() throws {
    #expect(
      try signature.sign(
        "GET", host: host, path: "/test.txt", fields: [.init("Range", "bytes=0-9")], body: [], at: moment
      ).signature == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    #expect(
      try signature.sign(
        "PUT", host: host, path: "/test$file.text",
        fields: [
          .init("Date", "Fri, 24 May 2013 00:00:00 GMT"), .init("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ], body: Array("Welcome to Amazon S3.".utf8), at: moment
      ).signature == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
    #expect(
      try signature.sign("GET", host: host, path: "/", query: [("lifecycle", "")], body: [], at: moment)
        .signature == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
    #expect(
      try signature.sign(
        "GET", host: host, path: "/", query: [("prefix", "J"), ("max-keys", "2")], body: [], at: moment
      ).signature == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
  }

  // Source: RFC 4231, test cases 1, 2 and 6.
  @Test("HMAC-SHA256 is that of RFC 4231, also with a key longer than a block")
  func codes() throws {
    #expect(
      try hmacSHA256(Array("Hi There".utf8), key: [UInt8](repeating: 0x0B, count: 20)).hex
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    #expect(
      try hmacSHA256(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8)).hex
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(
      try hmacSHA256(
        Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        key: [UInt8](repeating: 0xAA, count: 131)
      ).hex == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }

  @Test("a session token is signed and sent along")
  func session() throws {
    let own = RequestSignature(
      credentials: StoreCredentials(keyID: "A", secret: "S", sessionToken: "T"), region: "eu-central-1")
    let signed = try own.sign("GET", host: "h", path: "/k", body: [], at: moment)
    #expect(signed.fields.contains(.init("x-amz-security-token", "T")))
    #expect(signed.fields.last?.value.contains("x-amz-security-token,Signature=") == true)
    #expect(signed.fields.last?.value.contains("/eu-central-1/s3/aws4_request") == true)
  }

  @Test("what no letter is in a name goes over the line as it was signed")
  func names() throws {
    let signed = try signature.sign("PUT", host: host, path: "/a+b=c@d é~'()!*.js", body: [], at: moment)
    #expect(signed.pathAndQuery == "/a%2Bb%3Dc%40d%20%C3%A9~%27%28%29%21%2A.js")
  }
}

/// Where credentials and settings of an object store come from.
@Suite struct ObjectStoreSettingsTests {
  private let files: (String) -> String? = { path in
    switch path {
    case "/home/me/.aws/credentials":
      "[default]\naws_access_key_id = D\naws_secret_access_key = DS\n[work]\naws_access_key_id=W\naws_secret_access_key = WS\naws_session_token = WT\n"
    case "/home/me/.aws/config":
      "# mine\n[profile work]\nregion = eu-west-1\nendpoint_url = https://store.example\ns3 =\n    addressing_style = virtual\n"
    default: nil
    }
  }

  @Test("the environment counts, then a profile that was asked for, then the default one")
  func credentials() throws {
    let home = ["HOME": "/home/me"]
    let plain = try ObjectStoreSettings("s3://bucket", home, files: files)
    #expect(plain.credentials == StoreCredentials(keyID: "D", secret: "DS", sessionToken: nil))
    #expect(plain.host == "bucket.s3.us-east-1.amazonaws.com" && plain.path(of: "k") == "/k")
    let given = try ObjectStoreSettings(
      "s3://bucket/a/b",
      home.merging(["AWS_ACCESS_KEY_ID": "E", "AWS_SECRET_ACCESS_KEY": "ES", "AWS_SESSION_TOKEN": "ET"]) {
        $1
      },
      files: files)
    #expect(given.credentials == StoreCredentials(keyID: "E", secret: "ES", sessionToken: "ET"))
    #expect(given.prefix == "a/b/")
    let profile = try ObjectStoreSettings(
      "s3://bucket", home.merging(["AWS_PROFILE": "work"]) { $1 }, files: files)
    #expect(profile.credentials == StoreCredentials(keyID: "W", secret: "WS", sessionToken: "WT"))
    #expect(profile.region == "eu-west-1" && profile.host == "bucket.store.example" && !profile.usesPath)
  }

  @Test("a store of one's own is asked by the path of its bucket, and never in the clear over a network")
  func endpoints() throws {
    let keys = ["AWS_ACCESS_KEY_ID": "E", "AWS_SECRET_ACCESS_KEY": "ES"]
    let own = try ObjectStoreSettings(
      "s3://bucket/feed?endpoint=http://127.0.0.1:9000&region=garage", keys, files: { _ in nil })
    #expect(
      own.host == "127.0.0.1:9000" && own.path(of: "feed/x") == "/bucket/feed/x" && own.region == "garage")
    for text in [
      "s3://bucket?endpoint=http://store.example", "s3://", "s3://b/../c", "s3://bucket?colour=red",
      "s3://bucket?endpoint=https://store.example/below", "s3://bucket?style=round",
    ] {
      #expect(throws: Problem.self, "\(text)") { try ObjectStoreSettings(text, keys, files: { _ in nil }) }
    }
  }

  @Test("without credentials the refusal says where they are looked for, and shows none")
  func missing() {
    let found = #expect(throws: Problem.self) {
      try ObjectStoreSettings("s3://bucket", ["AWS_PROFILE": "none", "HOME": "/home/me"], files: files)
    }
    #expect(found?.code == .noPermission && found?.advice?.contains("AWS_ACCESS_KEY_ID") == true)
    #expect(found?.message.contains("DS") == false)
  }

  @Test("the answers of stores are read whatever their prefixes, and nothing else is")
  func answers() {
    let text =
      "<?xml version=\"1.0\"?><D:x xmlns:D=\"DAV:\"><D:href>/a%20b</D:href><Key>a&amp;b &lt;c&gt;</Key><Key/><Keys>no</Keys></D:x>"
    #expect(XMLText.values("href", in: text) == ["/a%20b"])
    #expect(XMLText.values("Key", in: text) == ["a&b <c>"])
    #expect(XMLText.values("Key", in: "<Key>never ends").isEmpty)
  }
}
