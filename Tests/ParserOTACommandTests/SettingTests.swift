import Foundation
import TestSupport
import Testing

@testable import ParserOTACommand

/// The table of settings and what is written about it.
@Suite struct SettingTests {
  @Test("the schema of the file has every setting, and no other")
  func schema() throws {
    let path = BuiltProducts.packageRoot() + "/manifests/config.schema.json"
    let document = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
    let properties = (document as? [String: Any])?["properties"] as? [String: Any] ?? [:]
    #expect(Set(properties.keys) == Set(Setting.all.map(\.key) + ["allow", "$schema"]))
    for setting in Setting.all {
      let type = (properties[setting.key] as? [String: Any])?["type"] as? String
      #expect((type == "boolean") == (setting.kind == .flag), "\(setting.key)")
      #expect((type == "integer") == (setting.kind == .number), "\(setting.key)")
    }
  }

  @Test(
    "no two settings share a key or an option, and each option of a setting takes a value where it needs one")
  func table() {
    #expect(Set(Setting.all.map(\.key)).count == Setting.all.count)
    #expect(Set(Setting.all.map(\.option)).count == Setting.all.count)
    for verb in CommandTable.shipped.verbs {
      for option in verb.spec.options {
        guard let setting = option.setting else { continue }
        #expect(option.takesValue == (setting.kind != .flag), "\(verb.spec.name) \(option.name)")
      }
    }
  }
}
