/** A buyer's bank asks for the money. An inquiry only asks a question; a chargeback takes the money away. */
export type Dispute = {
  readonly id: string
  readonly paymentIntentId: string
  readonly state: DisputeState
  /** When the provider said so; decides between two verdicts. */
  readonly reportedAt: Date
}

/** In the order in which a dispute moves; of two verdicts at the same moment the later in this list holds. */
export const DISPUTE_STATES = ['inquiry', 'open', 'won', 'lost'] as const
export type DisputeState = (typeof DISPUTE_STATES)[number]

/** An inquiry withdraws no funds, and a dispute that was won has given them back. */
export function withdrawsFunds({ state }: Pick<Dispute, 'state'>): boolean {
  return state === 'open' || state === 'lost'
}

/** What is known of a dispute after one more report. The order of the reports does not matter. */
export function mergeDispute(known: Dispute | null, reported: Dispute): Dispute {
  if (!known) return reported
  return compareDisputes(reported, known) > 0 ? reported : known
}

/** A verdict replaces every earlier state. Of two verdicts the later one holds; of two at the same moment, the loss. */
function compareDisputes(left: Dispute, right: Dispute): number {
  return (
    disputeStage(left) - disputeStage(right) ||
    left.reportedAt.getTime() - right.reportedAt.getTime() ||
    DISPUTE_STATES.indexOf(left.state) - DISPUTE_STATES.indexOf(right.state)
  )
}

function disputeStage({ state }: Dispute): number {
  return Math.min(DISPUTE_STATES.indexOf(state), DISPUTE_STATES.indexOf('won'))
}
