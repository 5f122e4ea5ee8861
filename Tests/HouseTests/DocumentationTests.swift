import Foundation
import TestSupport
import Testing

@Suite("The documents at the root tell the truth about the repository")
struct DocumentationTests {
  private static let root = BuiltProducts.packageRoot(of: #filePath)

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(Self.root)/\(name)", encoding: .utf8)
  }

  private static let architecture = "Sources/ParserOTACommand/ParserOTACommand.docc/Architecture.md"

  private static let articles = "Sources/ParserPublisher/ParserPublisher.docc"

  @Test(
    "Every link to a file leads to one",
    arguments: [
      "README.md", "CHANGELOG.md", "manifests/README.md", ".github/CONTRIBUTING.md", architecture,
      "\(articles)/Gate.md", "\(articles)/Workbench.md", "\(articles)/Adopting.md",
      "\(articles)/Repairing.md",
    ])
  func links(document: String) throws {
    let folder = URL(fileURLWithPath: "\(Self.root)/\(document)").deletingLastPathComponent()
    for link in try text(document).matches(of: /\]\(([^)#]+)\)/).map({ String($0.output.1) })
    where !link.contains("://") {
      let target = folder.appendingPathComponent(link).path
      #expect(FileManager.default.fileExists(atPath: target), "\(document) points at \(link)")
    }
  }

  @Test("The table of modules in the architecture has every folder of Sources and no other")
  func modules() throws {
    let readme = try text(Self.architecture)
    let named = Set(readme.matches(of: /`([A-Za-z-]+)`/).map { String($0.output.1) })
    let folders = try namesInDirectory("\(Self.root)/Sources")
    for folder in folders { #expect(named.contains(folder), "\(folder) is not in the table") }
    for row in readme.matches(of: /(?m)^\| [0-4] \| `([A-Za-z-]+)`/) {
      #expect(folders.contains(String(row.output.1)), "\(row.output.1) is in the table only")
    }
  }

  @Test("The walks of the architecture name files that exist")
  func walks() throws {
    let files = FileManager.default.enumerator(atPath: "\(Self.root)/Sources")?.compactMap { $0 as? String }
    let names = Set((files ?? []).map { ($0 as NSString).lastPathComponent })
    let named = try text(Self.architecture).matches(of: /`([A-Za-z+]+\.swift)`/).map { String($0.output.1) }
    #expect(named.count > 30)
    for name in named { #expect(names.contains(name), "\(name)") }
  }

  @Test("What the page about recovery calls a test or a command is one")
  func recovery() throws {
    let page = try text("Sources/ParserUpdater/ParserUpdater.docc/Recovery.md")
    let files = FileManager.default.enumerator(atPath: "\(Self.root)/Tests")?.compactMap { $0 as? String }
    let suites = try (files ?? []).filter { $0.hasSuffix(".swift") }.map { try text("Tests/\($0)") }.joined()
    let named = page.matches(of: /`([A-Z][A-Za-z]+(?:Tests|Stories|Races|Ways|Exploration))`/)
    #expect(named.count > 10)
    for name in named { #expect(suites.contains("struct \(name.output.1) {"), "\(name.output.1)") }
    for command in page.matches(of: /`(ci\/[a-z-]+)/) {
      let path = "\(Self.root)/\(command.output.1)"
      #expect(FileManager.default.isExecutableFile(atPath: path), "\(command.output.1)")
    }
  }

  @Test("The README is short, and so is its sample; the first screen says how to roll back")
  func readme() throws {
    let readme = try text("README.md")
    #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
    let sample = try #require(readme.firstMatch(of: /(?s)```swift\n(.*?)```/)).output.1
    #expect(sample.split(separator: "\n").count <= 15)
    let firstScreen = readme.split(separator: "\n", omittingEmptySubsequences: false).prefix(25).joined(
      separator: "\n")
    #expect(firstScreen.contains("parser-ota rollback --feed feed --yes"))
  }
}
