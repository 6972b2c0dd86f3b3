import { expect, test } from 'bun:test'
import { exportEmail } from '../../../../application/customers/export-email.ts'
import { exportCommand } from '../../../../interfaces/cli/commands/export.ts'
import { openBuyer } from '../../../support/buyers.ts'
import { runOnStore } from '../../../support/command-context.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'
import { ANNA } from '../../../support/stores/contract-purchases.ts'

test('prints one JSON object on lines that people can read', async () => {
  const { ports } = await openBuyer()
  const { lines, print } = recordedOutput()
  expect(await runOnStore(exportCommand, { ports, email: ANNA, json: false, print })).toBe(0)
  expect(lines.slice(0, 2)).toEqual(['{', '  "email": "anna@example.com",'])
  const exported = await exportEmail(ports, ANNA)
  expect(JSON.parse(lines.join('\n'))).toEqual(JSON.parse(JSON.stringify(exported)))
})
