import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { MachineSpec } from '../../../contract/spec.ts'
import type { ExecSession } from '../client/exec/index.ts'
import { bootKey, preparedKey, preparedOf, waitKey } from '../machine/instance.ts'
import { type InstanceLink, instanceBody, readyConfig, waitingConfig } from '../machine/instance-body.ts'
import type { PreparedKind } from './prepared-kind.ts'
import { type PreparedRecord, writeRecord } from './prepared-record.ts'

/** An instance that runs, with its disk and its network, and waits to be told which machine it is. */
export interface PreparedInstance {
  readonly name: string
  readonly member: string
  readonly link: InstanceLink | undefined
  /** When it was prepared, on the monotonic clock of this process. */
  readonly preparedAtMs: number
  /** A program in it that waits for the assignment, and then is the end of the machine's channel. */
  readonly session: ExecSession
}

/**
 * Reads the assignment from its standard input, passes it on, and joins the channel. Nothing else runs in it by then, and it gives up the
 * right that only the first process needs.
 */
const waitScript = `unset SANDGLASS_MACHINE SANDGLASS_WAIT
read -r assignment || exit
printf %s "$assignment" > /run/sandglass/assignment
exec setpriv --bounding-set=-sys_admin "$0/join-channel" /run/sandglass/channel`
export const waitCommand = ['/bin/sh', '-c', waitScript, '/usr/lib/sandglass/guest']

export const newName = (): string => preparedOf(randomBytes(10).toString('hex'))

/** Such an instance is not moved when its member is drained: it ends, and nobody misses it. */
const leavingKey = 'cluster.evacuate'

/** What an instance is made of that waits. Incus deletes it when it ends without having become a machine. */
export function preparedBody(
  name: string,
  { fingerprint, spec }: PreparedKind,
  pool: string,
  link: InstanceLink | undefined,
  record: PreparedRecord,
  lifeMs: number,
) {
  const waiting: MachineSpec = { ...spec, id: name }
  const usual = instanceBody(waiting, pool, link)
  return {
    ...usual,
    name,
    ephemeral: true,
    source: { type: 'image', fingerprint },
    config: {
      ...usual.config,
      ...waitingConfig(waiting, link),
      [leavingKey]: 'stop',
      [preparedKey]: writeRecord(record),
      [waitKey]: `${Math.round(lifeMs / 1000)}`,
    },
  }
}

/** What is changed of a prepared instance that becomes a machine, so that it is from now on as if it had been created for it. */
export function becoming(spec: MachineSpec, pool: string, { link }: Pick<PreparedInstance, 'link'>) {
  const { config } = instanceBody(spec, pool, link)
  return {
    ephemeral: false,
    config: { ...config, ...readyConfig(spec), [leavingKey]: '', [preparedKey]: '', [waitKey]: '' },
  }
}

/** Tells an instance which machine it is. Returns the byte stream to the end of the channel of the machine. */
export function assign(spec: MachineSpec, pool: string, { link, session }: PreparedInstance): Duplex {
  const { stream } = session
  stream.write(`${instanceBody(spec, pool, link).config[bootKey]}\n`)
  return stream
}
