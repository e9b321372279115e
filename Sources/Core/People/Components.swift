/// Ids that links hold together, as links come in.
package struct Components {
  /// Ids of one person at most; more are not united (SEMANTICS 6.1).
  package static let largest = 32

  private var parents: [Bytes: Bytes] = [:]
  private var sizes: [Bytes: Int] = [:]

  package init() {}

  package mutating func insert(_ id: Bytes) {
    guard parents[id] == nil else { return }
    parents[id] = id
    sizes[id] = 1
  }

  package mutating func unite(_ left: Bytes, _ right: Bytes) {
    insert(left)
    insert(right)
    var (small, large) = (root(of: left), root(of: right))
    guard small != large else { return }
    let (leftSize, rightSize) = (sizes[small] ?? 1, sizes[large] ?? 1)
    if leftSize > rightSize { swap(&small, &large) }
    parents[small] = large
    sizes[large] = leftSize + rightSize
  }

  /// How many ids are held together with this one, itself included.
  package func size(of id: Bytes) -> Int { sizes[root(of: id)] ?? 1 }

  package var ids: Dictionary<Bytes, Bytes>.Keys { parents.keys }

  /// The ids that are held together, each group ascending, groups in no order.
  package var groups: [[Bytes]] {
    Dictionary(grouping: parents.keys) { root(of: $0) }.values.map { $0.sorted() }
  }

  private func root(of id: Bytes) -> Bytes {
    var id = id
    while let parent = parents[id], parent != id { id = parent }
    return id
  }

  /// The id that stands for a person: the smallest of the vendor's ids that was given up for no other,
  /// else the smallest of the vendor's, else the smallest.
  ///
  /// - Parameters:
  ///   - members: ascending, at least one.
  ///   - givenUp: ids that a merge names as its `from`.
  package static func canonical(of members: [Bytes], givenUp: Set<Bytes>) -> Bytes {
    let vendors = members.filter { !ProfileID.isExternal($0) }
    return vendors.first { !givenUp.contains($0) } ?? vendors.first ?? members.first ?? .empty
  }
}
