extension Event {
  /// Calls with each name in the event that means nothing, besides its own.
  ///
  /// Params of screens and answers are not looked at: what cannot be read of an answer is told for each
  /// person by the reasons of missing attributes. Texts that people read or typed are never among the
  /// names.
  package func forEachUnknown(of kind: EventKind, _ body: (UnknownName) -> Void) {
    switch kind {
    case .analyticEvent: forUnknownAnalyticEvent(body)
    case .purchaseFinished:
      forUnknownResult(body)
      forUnknownError(body)
    case .purchaseFailed, .restoreFailed, .errorReceived, .renderingFailed, .productLoadingFailed,
      .webPaymentFailed, .webPaymentFinished:
      forUnknownError(body)
    case .storeMessageQueued, .storeMessageShown, .storeMessageFailed:
      forUnknownMessages(body)
    default: break
    }
  }

  private func forUnknownAnalyticEvent(_ body: (UnknownName) -> Void) {
    guard self.kind == .other else { return }
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

  private func forUnknownError(_ body: (UnknownName) -> Void) {
    guard let error = CommercePayload(params).error else { return }
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
