import { Client, type ClientConfig } from 'pg'
import { query } from './query.ts'

/** A statement that PostgreSQL has carried out, and how. Also one within a function. */
export type ExplainedPlan = {
  readonly text: string
  readonly nodes: readonly PlanNode[]
}

/** A step of a plan, with what it really met, in all its repetitions together. */
export type PlanNode = {
  readonly kind: string
  /** The table that it reads, if any. */
  readonly table: string | null
  /** Rows that it read, of the table or of the steps below, those too that it left out at once. */
  readonly rowsRead: number
}

type RawNode = {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly RawNode[]
}

const EXPLAINED = /plan:\n(?<plan>\{.*\})$/s

/**
 * From now on every new connection to the database is told how its statements were carried out. `force_custom_plan`
 * plans each for its values; `force_generic_plan` for any.
 */
export async function explainStatements(
  superuserUrl: string,
  planCacheMode: 'force_custom_plan' | 'force_generic_plan',
): Promise<void> {
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
    plan_cache_mode: planCacheMode,
  }
  const [row] = await query(superuserUrl, 'SELECT current_database() AS name')
  const changes = Object.entries(settings).map(
    ([name, value]) => `ALTER DATABASE ${row?.['name']} SET ${name} = '${value}'`,
  )
  await query(superuserUrl, changes.join('; '))
}

/** Connections that keep the plans that they are told of. */
export function explainedConnections() {
  const plans: ExplainedPlan[] = []
  class ExplainedClient extends Client {
    constructor(config?: string | ClientConfig) {
      super(config)
      this.on('notice', ({ message = '' }) => {
        const json = EXPLAINED.exec(message)?.groups?.['plan']
        if (json !== undefined) plans.push(readPlan(json))
      })
    }
  }
  return { plans, ExplainedClient }
}

function readPlan(json: string): ExplainedPlan {
  const { 'Query Text': text, Plan: plan } = JSON.parse(json)
  return { text, nodes: [...nodesOf(plan)] }
}

function* nodesOf(raw: RawNode): Generator<PlanNode> {
  const { Plans: below = [], 'Actual Loops': loops = 0 } = raw
  const left = (raw['Rows Removed by Filter'] ?? 0) + (raw['Rows Removed by Index Recheck'] ?? 0)
  const ofBelow = below.reduce((sum, one) => sum + rowsGiven(one), 0)
  yield {
    kind: raw['Node Type'],
    table: raw['Relation Name'] ?? null,
    rowsRead: Math.max(rowsGiven(raw) + left * loops, ofBelow),
  }
  for (const one of below) yield* nodesOf(one)
}

/** PostgreSQL tells the mean of all repetitions. */
function rowsGiven({ 'Actual Rows': rows = 0, 'Actual Loops': loops = 0 }: RawNode): number {
  return rows * loops
}
