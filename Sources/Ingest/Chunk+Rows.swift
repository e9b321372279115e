internal import Core

extension Chunk {
  /// The rows of the `csv` layout as a chunk of JSON objects, each still at its place in the input.
  ///
  /// A row of the wrong length is among the rejections then; a blank one is an empty record.
  func rowsAsObjects(_ columns: CSVColumns, limits: ReadLimits) -> Chunk {
    var objects: [UInt8] = []
    objects.reserveCapacity(length * 3 + JSONParser.padding)
    var extents: [Extent] = []
    extents.reserveCapacity(self.extents.count)
    var rejections = self.rejections
    var cells = CSVCells()
    // The object around `params` is one level of the record.
    let parser = JSONParser(maxDepth: limits.depth - 1)
    bytes.withUnsafeBufferPointer { bytes in
      for row in self.extents {
        let range = row.start..<(row.start + row.length)
        let start = objects.count
        if bytes[range].contains(where: { !isSpace($0) }) {
          cells.read(UnsafeBufferPointer(rebasing: bytes[range]), delimiter: columns.delimiter)
          guard cells.count == columns.count else {
            let isCut = endsOpen && range.upperBound == self.length
            rejections.append(
              Rejection(
                isCut ? .truncatedRecord : .raggedRow, line: row.line, byteOffset: row.byteOffset,
                length: row.length))
            continue
          }
          columns.appendObject(cells, parser, to: &objects)
        }
        extents.append(
          Extent(
            start: start, length: objects.count - start, line: row.line,
            byteOffset: row.byteOffset, sourceLength: row.length))
      }
    }
    let length = objects.count
    objects += [UInt8](repeating: 0, count: JSONParser.padding)
    return Chunk(
      bytes: objects, length: length, layout: .values, firstLine: firstLine,
      byteOffset: byteOffset, endsOpen: false, extents: extents, rejections: rejections,
      columns: nil)
  }
}
