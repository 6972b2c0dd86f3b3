import type { Command } from './command-table.ts'

export const CUSTOMER_COMMANDS: readonly Command[] = [
  {
    name: 'grant',
    summary: 'give an address premium by your word',
    operands: ['EMAIL'],
    options: ['json'],
    details: `Gives EMAIL premium without a payment, until it is revoked. An address that has such a grant already
gets no second one; the line that is printed says so, and the exit code is 0 all the same.
Needs no setting but DATABASE_URL, and works while the service runs.`,
  },
  {
    name: 'revoke',
    summary: 'take premium away from an address',
    operands: ['EMAIL'],
    options: ['json'],
    details: `Revokes every grant that EMAIL has now, bought or given, and prints how many; 0 is no failure. It
works from the next request on. No money moves: refund at the payment provider. A purchase that is
paid later gives premium again.
Needs no setting but DATABASE_URL, and works while the service runs.`,
  },
  {
    name: 'status',
    summary: 'show whether an address has premium, and why',
    operands: ['EMAIL'],
    options: ['json'],
    details: `Prints whether EMAIL has premium, its grants, purchases, refunds and disputes, and the audit trail:
every change of a grant, when, by whom, why, through what, and whether the grant gave premium then.
An address that nobody knows is no failure. Reads only the database, and not the payment provider.
Needs no setting but DATABASE_URL.`,
  },
  {
    name: 'grants',
    summary: 'list who has premium, and why',
    operands: [],
    options: ['json'],
    details: `Prints a line for each grant that there is, bought or given: the address, since when, by what, and
whether it gives premium now. With --json each line is an object of its own (NDJSON), and there is
none when there are no grants.
Needs no setting but DATABASE_URL.`,
  },
  {
    name: 'logout',
    summary: 'end every token of an address',
    operands: ['EMAIL'],
    options: ['json'],
    details: `Ends every token that EMAIL has, on every device, from the next request on. Premium stays: whoever
can read the mails of EMAIL logs in again with a new code.
Needs no setting but DATABASE_URL, and works while the service runs.`,
  },
  {
    name: 'unlock',
    summary: 'let an address try codes again after too many wrong ones',
    operands: ['EMAIL'],
    options: ['json'],
    details: `Forgets the wrong codes that were tried for EMAIL, so that it need not wait until a day has passed,
and prints how many there were; 0 is no failure. How many mails it may get stays as it is.
Needs no setting but DATABASE_URL, and works while the service runs.`,
  },
  {
    name: 'export',
    summary: 'print all that is known of an address',
    operands: ['EMAIL'],
    options: ['json'],
    details: `Prints one JSON object with everything that the database holds about EMAIL: codes asked for and
tried, verification, log-outs, purchases, grants, refunds, disputes, messages and audit trail. An
address that nobody knows is no failure. Codes, tokens and keys are not in it.
Needs no setting but DATABASE_URL.`,
  },
  {
    name: 'erase',
    summary: 'forget an address, but for what the books need',
    operands: ['EMAIL'],
    options: ['yes', 'json'],
    details: `Takes EMAIL out of the database: its codes, verification and log-outs go, and in what the books need
(purchases, grants, refunds, disputes, messages about them and the audit trail) an anonymous name
takes its place. Premium ends with it, and every token; of these a digest stays for 90 days, or for
TOKEN_TTL where that is longer, so that none comes back to life. A payment page that is open is
closed at the payment provider first; while a payment is on its way, or the provider cannot be asked
about such a page, nothing is erased and the exit code is 1. An address that nobody knows is no
failure. The payment provider, the mail provider and backups made before keep what they have: after
restoring such a backup, erase again. Asks first at a terminal.
Needs the settings of the service, and works while the service runs.`,
  },
]

export const PAYMENT_COMMANDS: readonly Command[] = [
  {
    name: 'purchases',
    summary: 'list the purchases, or those that wait for you',
    operands: [],
    options: ['review', 'json'],
    details: `Prints a line for each purchase, oldest first. --review leaves only those where money came that was
not asked for: it gave no access, and has not been refunded. With --json each line is an object of
its own (NDJSON), and there is none when there are no purchases.
Needs no setting but DATABASE_URL.`,
  },
  {
    name: 'purchases show',
    summary: 'read a purchase anew from the payment provider, and show it',
    operands: ['ID'],
    options: ['json'],
    details: `Reads the purchase ID from the payment provider, takes into account what it finds, and prints all
that is known: facts, grant, refunds, disputes, messages and audit trail, and what to do about it
where it waits for an operator. Exits 1 when nobody knows the ID, and, after it has printed what is
known, when the provider is out of reach.
Needs the settings of the service.`,
  },
  {
    name: 'reconcile',
    summary: 'ask the payment provider for what it failed to report',
    operands: [],
    options: ['since', 'dry-run', 'json'],
    details: `Compares the purchases, refunds and disputes with the payment provider's records and repairs what
differs, as the service does by itself; it works while the service runs. Each kind of record is
looked at from some days before the last run on; --since looks further back. Prints what each sweep
checked and repaired. --dry-run stores nothing and says what would be repaired; what two sweeps come
upon then counts in both. SIGTERM and SIGINT end it after the object under way; the next run sees
what it missed. Exits 0 when every sweep was finished and nothing failed, else 1.
Needs the settings of the service.`,
  },
]
