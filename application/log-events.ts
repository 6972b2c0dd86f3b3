/**
 * Every event of the log: its key, its level and its sentence for people. Operators filter and alert by the key, so
 * that it never changes. docs/log-events.md explains each event and says what to do about it.
 */
export const LOG_EVENTS = {
  'service.serving': { level: 'info', message: 'serving' },
  'service.stopping': {
    level: 'info',
    message: 'stopping: what is under way is finished first',
  },
  'service.stopped': { level: 'info', message: 'stopped' },
  'service.stopped_early': { level: 'warn', message: 'stopped with work still under way' },

  'http.request': { level: 'info', message: 'request' },
  'http.requests_counted': { level: 'info', message: 'requests that have no line each' },
  'http.request_failed': { level: 'error', message: 'request failed' },
  'proxy.address_unreadable': {
    level: 'warn',
    message: 'a trusted proxy sends what is no address: its clients share one budget',
  },
  'webhook.received': { level: 'info', message: 'payment notification received' },
  'webhook.thin': {
    level: 'warn',
    message:
      "Stripe's endpoint sends thin events, which say too little: its style has to be snapshot",
  },

  'provider.called': { level: 'debug', message: 'provider called' },
  'provider.unavailable': { level: 'warn', message: 'something outside is unavailable' },
  'provider.key_refused': {
    level: 'error',
    message: 'something outside refuses our key: mend it',
  },
  'price.unusable': {
    level: 'error',
    message: 'nothing is sold: Stripe takes no payment for what the setting says',
  },
  'checkout.parameter_unknown': {
    level: 'warn',
    message: 'Stripe does not know a parameter that is off: its payment pages are made without it',
  },

  'codes.guessing_suspected': {
    level: 'warn',
    message: 'many wrong codes: somebody may be guessing',
  },
  'codes.guessing_ended': { level: 'info', message: 'wrong codes are few again' },
  'codes.limit_near': {
    level: 'warn',
    message: 'MAIL_LIMIT is nearly used up: soon no more codes are mailed',
  },
  'codes.limit_far': { level: 'info', message: 'MAIL_LIMIT has room again' },

  'payment.needs_review': {
    level: 'error',
    message: 'payment needs review: the session is not what was asked for',
  },
  'payment.address_erased': {
    level: 'error',
    message: 'payment of an address that was erased: it gives nobody access, send it back',
  },
  'payment.duplicate': {
    level: 'warn',
    message: 'second payment for an address that has premium by a payment',
  },
  'payment.duplicate_kept': {
    level: 'error',
    message: 'an address has paid twice, and nothing is sent back: look at its purchases',
  },
  'payment.foreign_session': { level: 'info', message: 'session of somebody else ignored' },
  'purchase.changed': { level: 'info', message: 'purchase changed' },
  'purchase.restored': { level: 'warn', message: 'lost purchase restored' },
  'purchase.abandoned': {
    level: 'info',
    message: 'given up: nobody can pay for a purchase any more',
  },
  'purchase.money_untraceable': {
    level: 'error',
    message: 'given up: the provider does not know where the money of a purchase is',
  },

  'reconcile.repaired': { level: 'info', message: 'repaired what nobody had told' },
  'reconcile.behind': {
    level: 'warn',
    message: 'the purchases that are open are too many to be asked about every minute',
  },
  'reconcile.finished': { level: 'info', message: 'payments reconciled' },
  'reconcile.object_failed': { level: 'error', message: 'failed' },
  'reconcile.sweep_failed': { level: 'error', message: 'failed' },
  'audit.discrepancy': {
    level: 'error',
    message: 'what is stored about payments and access does not fit together: look at it',
  },
  'audit.ended': { level: 'info', message: 'payments, grants and the audit trail compared' },
  'outbox.ended': { level: 'info', message: 'outbox message ended' },
  'outbox.failed': { level: 'error', message: 'failed' },
  'outbox.given_up': {
    level: 'error',
    message: 'given up: an operator has to see to it',
  },
  'task.failed': { level: 'error', message: 'failed' },
  'leadership.taken': {
    level: 'info',
    message: 'works in the background for all replicas from now on',
  },
  'leadership.lost': {
    level: 'info',
    message: 'no longer works in the background for all replicas',
  },

  'readiness.lost': { level: 'warn', message: 'not ready' },
  'readiness.restored': { level: 'info', message: 'ready again' },
  'database.damaged': {
    level: 'error',
    message:
      'the database is damaged, and nothing is stored any more: stop the service and put a backup back with "alibi restore FILE"',
  },
  'clock.jumped': { level: 'warn', message: 'the clock of the service has jumped' },
  'clock.far': {
    level: 'warn',
    message: "the machine's clock is far from the database's, which counts",
  },
  'clock.near': { level: 'info', message: "the machine's clock agrees with the database's again" },
  'database.migrated': { level: 'info', message: 'migrated the database' },
  'backup.made': { level: 'info', message: 'backup made' },
  'backup.pruned': { level: 'info', message: 'old backup removed' },
  'backup.failed': { level: 'error', message: 'backup failed' },
  'retention.pruned': { level: 'info', message: 'pruned what is of no use any more' },

  'metrics.serving': { level: 'info', message: 'metrics are served' },
  'metrics.failed': { level: 'error', message: 'metrics cannot be read' },
  'watchdog.unhealthy': { level: 'error', message: 'unsound: no sign of life is given' },
  'systemd.socket_failed': { level: 'warn', message: 'a way to tell systemd is closed' },
  'systemd.notify_failed': { level: 'warn', message: 'systemd does not take our messages' },
  'systemd.unreachable': {
    level: 'warn',
    message: 'systemd cannot be told how the service does, and ends one whose Type is notify',
  },
  'log.failed': { level: 'error', message: 'the log itself failed' },
} as const satisfies Record<string, { readonly level: LogLevel; readonly message: string }>

export type LogEvent = keyof typeof LOG_EVENTS

/** `debug` is for an operator who looks for a fault, `warn` may pass by itself, `error` needs an operator. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
