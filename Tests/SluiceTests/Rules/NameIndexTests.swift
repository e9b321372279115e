import Core
import Testing

@Suite("Names near a mistyped one")
struct NameIndexTests {
  @Test("among thousands, the one that is meant comes first")
  func many() {
    let names = (0..<5000).map { Bytes("segment_\($0)") }
    let index = NameIndex(names)
    #expect(index.names(near: "segmnt_1234").first == "segment_1234")
    #expect(index.names(near: "Segment-4999").first == "segment_4999")
    #expect(index.names(near: "sgement_77").first == "segment_77")
    #expect(index.names(near: "quite another thing") == [])
  }

  @Test("at most one change for three bytes, whatever the letters")
  func bounds() {
    let index = NameIndex(["bmi", "weight_kg", "größe"])
    #expect(index.names(near: "bni") == ["bmi"])
    #expect(index.names(near: "xyz") == [])
    #expect(index.names(near: "wieght-KG") == ["weight_kg"])
    #expect(index.names(near: "grösse") == ["größe"])
    #expect(index.names(near: "") == [])
    #expect(index.names(near: Bytes([UInt8](repeating: 0x61, count: 65))) == [])
  }
}
