const debug = leveled('debug')
const info = leveled('info')
const warn = leveled('warn')
const error = leveled('error')

/**
 * Every event of the log: its key, its level and its sentence for people. Operators filter and alert by the key, so
 * that it never changes. docs/log-events.md explains each event and says what to do about it.
 */
export const LOG_EVENTS = {
  'service.serving': info('serving'),
  'service.stopping': info('stopping: what is under way is finished first'),
  'service.stopped': info('stopped'),
  'service.stopped_early': warn('stopped with work still under way'),

  'http.request': info('request'),
  'http.requests_counted': info('requests that have no line each'),
  'http.request_failed': error('request failed'),
  'proxy.address_unreadable': warn(
    'a trusted proxy sends what is no address: its clients share one budget',
  ),
  'webhook.received': info('payment notification received'),
  'webhook.thin': warn(
    "Stripe's endpoint sends thin events, which say too little: its style has to be snapshot",
  ),

  'provider.called': debug('provider called'),
  'provider.unavailable': warn('something outside is unavailable'),
  'provider.key_refused': error('something outside refuses our key: mend it'),
  'price.unusable': error('nothing is sold: Stripe takes no payment for what the setting says'),
  'checkout.parameter_unknown': warn(
    'Stripe does not know a parameter that is off: its payment pages are made without it',
  ),

  'codes.guessing_suspected': warn('many wrong codes: somebody may be guessing'),
  'codes.guessing_ended': info('wrong codes are few again'),
  'codes.limit_near': warn('MAIL_LIMIT is nearly used up: soon no more codes are mailed'),
  'codes.limit_far': info('MAIL_LIMIT has room again'),

  'payment.needs_review': error('payment needs review: the session is not what was asked for'),
  'payment.address_erased': error(
    'payment of an address that was erased: it gives nobody access, send it back',
  ),
  'payment.duplicate': warn('second payment for an address that has premium by a payment'),
  'payment.duplicate_kept': error(
    'an address has paid twice, and nothing is sent back: look at its purchases',
  ),
  'payment.foreign_session': info('session of somebody else ignored'),
  'purchase.changed': info('purchase changed'),
  'purchase.restored': warn('lost purchase restored'),
  'purchase.abandoned': info('given up: nobody can pay for a purchase any more'),
  'purchase.money_untraceable': error(
    'given up: the provider does not know where the money of a purchase is',
  ),

  'reconcile.repaired': info('repaired what nobody had told'),
  'reconcile.behind': warn(
    'the purchases that are open are too many to be asked about every minute',
  ),
  'reconcile.finished': info('payments reconciled'),
  'reconcile.object_failed': error('failed'),
  'reconcile.sweep_failed': error('failed'),
  'audit.discrepancy': error(
    'what is stored about payments and access does not fit together: look at it',
  ),
  'audit.ended': info('payments, grants and the audit trail compared'),
  'outbox.ended': info('outbox message ended'),
  'outbox.failed': error('failed'),
  'outbox.given_up': error('given up: an operator has to see to it'),
  'task.failed': error('failed'),
  'leadership.taken': info('works in the background for all replicas from now on'),
  'leadership.lost': info('no longer works in the background for all replicas'),

  'readiness.lost': warn('not ready'),
  'readiness.restored': info('ready again'),
  'database.damaged': error(
    'the database is damaged, and nothing is stored any more: stop the service and put a backup back with "alibi restore FILE"',
  ),
  'clock.jumped': warn('the clock of the service has jumped'),
  'clock.far': warn("the machine's clock is far from the database's, which counts"),
  'clock.near': info("the machine's clock agrees with the database's again"),
  'database.migrated': info('migrated the database'),
  'backup.made': info('backup made'),
  'backup.pruned': info('old backup removed'),
  'backup.failed': error('backup failed'),
  'retention.pruned': info('pruned what is of no use any more'),

  'metrics.serving': info('metrics are served'),
  'metrics.failed': error('metrics cannot be read'),
  'watchdog.unhealthy': error('unsound: no sign of life is given'),
  'systemd.socket_failed': warn('a way to tell systemd is closed'),
  'systemd.notify_failed': warn('systemd does not take our messages'),
  'systemd.unreachable': warn(
    'systemd cannot be told how the service does, and ends one whose Type is notify',
  ),
  'log.failed': error('the log itself failed'),
} as const

export type LogEvent = keyof typeof LOG_EVENTS

/** `debug` is for an operator who looks for a fault, `warn` may pass by itself, `error` needs an operator. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

function leveled<Level extends LogLevel>(level: Level) {
  return (message: string) => ({ level, message })
}
