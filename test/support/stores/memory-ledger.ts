import type { Ledger, LedgerPart } from '../../../application/store.ts'
import type { LedgerRecord } from '../../../domain/ledger.ts'
import {
  toEntryRecord,
  toGiftRecords,
  toMessageRecord,
  toReversalRecord,
  toSaleRecords,
} from '../../../infrastructure/database/ledger-rows.ts'
import { toMessageRow, toPurchaseRow } from '../../../infrastructure/database/rows.ts'
import type { PaymentMemory } from './memory-store.ts'

/** The trail is as old as time. */
export function memoryLedger(memory: PaymentMemory): Ledger {
  const { purchases, operatorGrants, refunds, disputes, foreignPayments, messages, audit } = memory
  const isPlaced = (paymentIntentId: string) =>
    foreignPayments.has(paymentIntentId) ||
    [...purchases.values()].some((purchase) => purchase.paymentIntentId === paymentIntentId)

  const all: Readonly<Record<LedgerPart, () => readonly LedgerRecord[]>> = {
    purchases: () =>
      toSaleRecords(
        [...purchases.values()].filter(({ state }) => state === 'paid').map(toPurchaseRow),
        {
          refunds: [...refunds.values()],
          disputes: [...disputes.values()],
          messages: [...messages.values()],
          entries: audit,
        },
      ),
    operator_grants: () =>
      toGiftRecords(
        operatorGrants.map(({ since, ...grant }) => ({ ...grant, grantedAt: since })),
        { entries: audit },
      ),
    refunds: () =>
      [...refunds.values()].map(({ id, paymentIntentId }) =>
        toReversalRecord('refund', { id, paymentIntentId, isPlaced: isPlaced(paymentIntentId) }),
      ),
    disputes: () =>
      [...disputes.values()].map(({ id, paymentIntentId }) =>
        toReversalRecord('dispute', { id, paymentIntentId, isPlaced: isPlaced(paymentIntentId) }),
      ),
    messages: () =>
      [...messages.values()].map((message) => {
        const purchase = purchases.get(message.purchaseId)
        return toMessageRecord(toMessageRow(message), purchase ? toPurchaseRow(purchase) : null)
      }),
    audit_entries: () =>
      audit.map((entry, index) => {
        const purchase = [...purchases.values()].find(({ id }) => id === entry.grantId)
        return toEntryRecord({
          entry: { ...entry, id: index + 1 },
          purchase: purchase ? toPurchaseRow(purchase) : null,
          gift: operatorGrants.find(({ id }) => id === entry.grantId) ?? null,
          refund: refunds.get(entry.objectId) ?? null,
          dispute: disputes.get(entry.objectId) ?? null,
        })
      }),
  }

  return {
    findBeginning: async () => new Date(0),
    async list(part, { after, limit }) {
      const isNumber = part === 'audit_entries'
      const compare = (left: string, right: string) =>
        isNumber ? Number(left) - Number(right) : left < right ? -1 : left > right ? 1 : 0
      return all[part]()
        .filter(({ id }) => after === null || compare(id, after) > 0)
        .sort((left, right) => compare(left.id, right.id))
        .slice(0, limit)
    },
  }
}
