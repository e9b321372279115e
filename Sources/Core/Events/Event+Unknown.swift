extension Event {
  /// Calls with each name in the event that means nothing, besides its own.
  ///
  /// Whether an answer that can be read is one that can be meant is told for each person by the reasons of
  /// missing attributes. Texts that people read or typed are never among the names.
  package func forEachUnknown(of kind: EventKind, _ body: (UnknownName) -> Void) {
    switch kind {
    case .analyticEvent: forUnknownAnalyticEvent(body)
    case .flowScreenShowed, .flowUserInput: forUnreadableFlow(kind, body)
    case .profileUpdated, .restoreFinished: forUnreadableVendor(kind, body)
    case .vendorRecord: VendorForm.forEachUnreadable(ofRecord: params) { body($0) }
    case .storeMessageQueued, .storeMessageShown, .storeMessageFailed:
      forUnknownMessages(body)
    default: break
    }
    guard kind.happensInRun, !params.isEmpty else { return }
    let payload = CommercePayload(params)
    for name in payload.unreadable { body(UnknownName(.member, name)) }
    forUnknownError(payload, body)
    guard kind == .purchaseFinished else { return }
    forUnknownResult(body)
    forUnreadableVendor(kind, body)
  }

  private func forUnreadableVendor(_ kind: EventKind, _ body: (UnknownName) -> Void) {
    VendorForm.forEachUnreadable(ofProfileIn: params, kind) { body($0) }
  }

  private func forUnreadableFlow(_ kind: EventKind, _ body: (UnknownName) -> Void) {
    var hasScreen = false
    var hasElement = false
    func look(at object: JSONText) {
      object.forEachMember(known: FlowParams.Key.init) { key, value in
        switch key {
        case .params: look(at: value.string.map { JSONText($0) } ?? value)
        case .screen: hasScreen = true
        case .element: hasElement = true
        case .elementType:
          guard let type = value.scalarText, !type.isEmpty, !Self.elementTypes.contains(type)
          else { break }
          body(UnknownName(.elementType, type))
        case .value, .itemIDs, .itemTitles, .screenOrder, .isLastScreen: break
        }
        if !FlowParams.canRead(value, of: key) { miss(key) }
      }
    }
    func miss(_ key: FlowParams.Key) { body(UnknownName(.member, Bytes(key.rawValue))) }
    look(at: JSONText(params))
    // Without them nothing follows from the event.
    if kind == .flowScreenShowed, !hasScreen { miss(.screen) }
    if kind == .flowUserInput, !hasElement { miss(.element) }
  }

  private static let elementTypes = Set(PrivacyRules.knownTypes.map { Bytes($0) })

  private func forUnknownAnalyticEvent(_ body: (UnknownName) -> Void) {
    let kind = self.kind
    guard kind == .other else {
      if kind != .analyticEvent { forEachUnknown(of: kind, body) }
      return
    }
    var name: Bytes?
    JSONText(params).forEachMember { key, value in if key == "name" { name = value.string } }
    body(name.map { UnknownName(.event, $0) } ?? UnknownName(.member, "name"))
  }

  private func forUnknownResult(_ body: (UnknownName) -> Void) {
    JSONText(params).forEachMember { key, value in
      guard CommercePayload.resultNames.contains(key), value.kind != .null else { return }
      var word = value.string
      if let object = value.lenientObject {
        // `{"type": "success"}`, or `{"success": {…}}` as Swift's own encoder writes it.
        word = nil
        object.forEachMember { name, inner in
          if name == "type" {
            word = inner.string
          } else if word == nil, PurchaseResult.byName[name.lowercasedASCII] != nil {
            word = name
          }
        }
      }
      guard let word else {
        body(UnknownName(.member, key))
        return
      }
      if PurchaseResult.byName[word.lowercasedASCII] == nil {
        body(UnknownName(.purchaseResult, word))
      }
    }
  }

  private func forUnknownError(_ payload: CommercePayload, _ body: (UnknownName) -> Void) {
    guard let error = payload.error else { return }
    guard let code = error.code else {
      body(UnknownName(.member, "error"))
      return
    }
    let platform = context[.platform]
    guard ErrorName.name(of: code, platform: platform) == nil else { return }
    let place = platform.map { " on " + $0.string } ?? ""
    body(UnknownName(.errorCode, Bytes(code.string + place)))
  }

  private func forUnknownMessages(_ body: (UnknownName) -> Void) {
    let types = StoreMessageParams(params).types
    if types.isEmpty { body(UnknownName(.member, "type")) }
    for type in types where !StoreMessageParams.known.contains(type) {
      body(UnknownName(.storeMessage, type))
    }
  }
}
