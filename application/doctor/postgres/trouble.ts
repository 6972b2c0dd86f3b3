import { type Finding, findingsOn } from '../finding.ts'

/** Why a PostgreSQL could not be asked. */
export type PostgresTrouble = {
  readonly kind:
    | 'unknown_name'
    | 'unreachable'
    | 'too_late'
    | 'certificate'
    | 'login_refused'
    | 'no_database'
    | 'too_many_connections'
    | 'starting_or_stopping'
    | 'failed'
  /** An errno, a SQLSTATE, or what an error says that has neither. */
  readonly code: string
}

export function checkTrouble(place: string, { kind, code }: PostgresTrouble): Finding {
  const { failed } = findingsOn('database')
  switch (kind) {
    case 'unknown_name':
      return failed(
        `the name in ${place} is not known (${code})`,
        'look at DATABASE_URL, and at the name servers of this machine',
      )
    case 'unreachable':
      return failed(
        `nobody answers at ${place} (${code})`,
        'see that PostgreSQL runs and listens there (listen_addresses), and that a firewall lets this machine in',
      )
    case 'too_late':
      return failed(
        `${place} does not answer in time`,
        'see that a firewall lets this machine in, and what keeps the server busy (pg_stat_activity)',
      )
    case 'certificate':
      return failed(
        `the certificate of ${place} does not hold (${code})`,
        'give the server one for that very name, or let sslrootcert in DATABASE_URL name the authority that signed it',
      )
    case 'login_refused':
      return failed(
        `${place} refuses the role (${code})`,
        'look at the user and the password in DATABASE_URL, and at pg_hba.conf of the server',
      )
    case 'no_database':
      return failed(
        `the server of ${place} has no such database (${code})`,
        'make it with CREATE DATABASE, or look at DATABASE_URL',
      )
    case 'too_many_connections':
      return failed(
        `${place} takes no more connections (${code})`,
        'look who has them (pg_stat_activity), lower DATABASE_POOL_MAX, or raise max_connections',
      )
    case 'starting_or_stopping':
      return failed(`${place} is starting or stopping (${code})`, 'try again in a moment')
    case 'failed':
      return failed(
        `${place} cannot be asked (${code})`,
        'look at DATABASE_URL, and at what the log of the server says',
      )
  }
}
