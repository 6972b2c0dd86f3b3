import type { SchemaFacts } from '../database.ts'
import { type Finding, findingsOn } from '../finding.ts'

export type RightsFacts = {
  readonly role: string
  readonly isSuperuser: boolean
  /** The schema that new tables go into; null where the search path leads to none. */
  readonly schema: string | null
  /** Whether the role may make tables in it. */
  readonly mayCreate: boolean
  /** Alibi's tables that the role cannot use as the service has to, and what it lacks. */
  readonly lacking: readonly { readonly table: string; readonly rights: readonly string[] }[]
  /** Alibi's tables that the role may not alter. */
  readonly foreignTables: readonly string[]
}

const LISTED_MAX = 3

export function checkRights(
  facts: RightsFacts,
  schemaFacts: SchemaFacts | null,
): readonly Finding[] {
  const { ok, warning, failed } = findingsOn('rights')
  const { role, schema } = facts
  if (schema === null) {
    return [
      failed(
        `${role} has no schema to put tables into`,
        `CREATE SCHEMA AUTHORIZATION ${sqlName(role)}, or look at its search_path`,
      ),
    ]
  }
  const isForeign = schemaFacts?.state === 'foreign'
  const found = isForeign
    ? []
    : [...checkTables(facts, schema), ...checkMigrating(facts, schema, schemaFacts)]
  if (facts.isSuperuser) {
    found.push(
      warning(
        `${role} is a superuser: whoever gets DATABASE_URL has the whole server`,
        'give the service a role of its own, which owns its schema and nothing else',
      ),
    )
  }
  return found.length > 0
    ? found
    : [ok(`${role} may do what it has to in the schema ${schema}, and is no superuser`)]
}

function checkTables({ role, lacking }: RightsFacts, schema: string): readonly Finding[] {
  const [first] = lacking
  if (!first) return []
  const { failed } = findingsOn('rights')
  const more = lacking.length > 1 ? `, and so on for ${lacking.length - 1} more` : ''
  return [
    failed(
      `${role} may not ${first.rights.join(', ')} on ${first.table}${more}`,
      `let ${role} own the schema ${schema} and all in it, or GRANT it these rights`,
    ),
  ]
}

/** What a release needs that brings a migration. */
function checkMigrating(
  { role, mayCreate, foreignTables }: RightsFacts,
  schema: string,
  facts: SchemaFacts | null,
): readonly Finding[] {
  const { warning, failed } = findingsOn('rights')
  const isDue = facts?.state === 'empty' || facts?.state === 'older'
  const report = isDue ? failed : warning
  const then = isDue ? 'the service cannot migrate it' : 'a release that migrates will not start'
  if (!mayCreate) {
    return [
      report(
        `${role} may not make tables in the schema ${schema}: ${then}`,
        `GRANT USAGE, CREATE ON SCHEMA ${sqlName(schema)} TO ${sqlName(role)}, or run "alibi migrate" with a role that may`,
      ),
    ]
  }
  if (foreignTables.length === 0) return []
  const listed = foreignTables.slice(0, LISTED_MAX).join(', ')
  const more = foreignTables.length > LISTED_MAX ? ', …' : ''
  return [
    report(
      `${listed}${more} belong to another role than ${role}: ${then}`,
      `ALTER TABLE … OWNER TO ${sqlName(role)}, or run "alibi migrate" with a role that may`,
    ),
  ]
}

/** A name as SQL takes it. */
function sqlName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}
