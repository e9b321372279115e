extension Outcome {
  /// Takes over what a settled ledger and the replay's exposures hold.
  mutating func take(_ ledger: CommerceLedger, _ log: ExposureLog) {
    purchases = ledger.purchases
    transactions = ledger.transactions
    restores = ledger.restores
    flowErrors = ledger.errors
    selections = ledger.selections
    exposures = log.all
  }
}
