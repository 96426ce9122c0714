import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exitPort, passedCode, probeGuest } from './probe-guest.ts'

/** Whether this host runs guests on its processor. */
export type KvmFinding = { readonly works: true } | { readonly works: false; readonly reason: string }

export interface ProbeOptions {
  /** What runs the guest. Tests let QEMU emulate it, to show that the guest itself is right. */
  readonly accelerator?: 'kvm' | 'tcg'
  readonly command?: string
  /** A guest on a processor needs less than a second, also on a busy host. */
  readonly timeoutMs?: number
}

export const qemuCommand = 'qemu-system-x86_64'

const defaultTimeoutMs = 15_000

/** What the probe found, and whether it would find the same again until the host is started anew. */
interface Outcome {
  readonly finding: KvmFinding
  readonly isFinal: boolean
}

/**
 * Finds out whether KVM works by running a guest with it. That `/dev/kvm` can be opened says little: inside another virtual
 * machine there may be one that fails in every kernel.
 */
export async function probeKvm(options: ProbeOptions = {}): Promise<KvmFinding> {
  return (await probe(options)).finding
}

/** As {@link probeKvm}, once per boot of this host and version of QEMU. The folder must belong to root. */
export async function rememberedKvm(folder: string, options: ProbeOptions = {}): Promise<KvmFinding> {
  const file = join(folder, 'kvm.json')
  const key = await keyOfHost()
  const known = await read(file, key)
  if (known) return known
  const { finding, isFinal } = await probe(options)
  // Where the folder cannot be written to, the next question is answered by another guest.
  if (isFinal) await write(folder, file, { key, finding }).catch(() => {})
  return finding
}

async function probe({
  accelerator = 'kvm',
  command = qemuCommand,
  timeoutMs = defaultTimeoutMs,
}: ProbeOptions): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-kvm-'))
  try {
    const disk = join(folder, 'guest')
    await writeFile(disk, probeGuest())
    return await run(command, argumentsFor(accelerator, disk), timeoutMs)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function argumentsFor(accelerator: 'kvm' | 'tcg', disk: string): string[] {
  return [
    ...['-accel', accelerator, '-cpu', accelerator === 'kvm' ? 'host' : 'max'],
    ...['-machine', 'pc', '-m', '32', '-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot'],
    ...['-device', `isa-debug-exit,iobase=${exitPort},iosize=4`],
    ...['-drive', `file=${disk},format=raw,if=floppy,snapshot=on`, '-boot', 'a'],
  ]
}

function run(command: string, args: readonly string[], timeoutMs: number): Promise<Outcome> {
  return new Promise(resolve => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    let settled: Outcome | undefined
    // QEMU stops a guest that KVM cannot run, and waits.
    const end = (outcome: Outcome) => {
      settled ??= outcome
      child.kill('SIGKILL')
    }
    const deadline = setTimeout(
      () => end(failed(`a guest did not end within ${timeoutMs / 1000} s`, false)),
      timeoutMs,
    )
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(0, 10_000)
      if (/KVM internal error/.test(said) && /emulation failure/.test(said))
        end(failed('it cannot run the instructions of a 64-bit kernel', true))
      else if (/KVM: entry failed/.test(said)) end(failed('the processor refuses to enter a guest', true))
    })
    child.once('error', error => {
      clearTimeout(deadline)
      resolve(failed(`${command} cannot be run: ${error.message}`, false))
    })
    child.once('close', code => {
      clearTimeout(deadline)
      resolve(settled ?? outcomeOf(code, said))
    })
  })
}

function outcomeOf(code: number | null, said: string): Outcome {
  if (code === passedCode) return { finding: { works: true }, isFinal: true }
  const refusal = said
    .split('\n')
    .map(line => line.replace(/^\S*qemu-system-\w+: /, '').trim())
    .find(line => line !== '' && !line.startsWith('warning:'))
  // Without access, another user may still have it.
  return failed(refusal ?? `a guest crashed (${code ?? 'killed'})`, !/permission denied/i.test(said))
}

const failed = (reason: string, isFinal: boolean): Outcome => ({ finding: { works: false, reason }, isFinal })

/** Changes with each boot, and with each QEMU that is installed. */
async function keyOfHost(): Promise<string> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')
  const { mtimeMs = 0 } = (await stat(`/usr/bin/${qemuCommand}`).catch(() => undefined)) ?? {}
  return `${boot.trim()} ${mtimeMs}`
}

async function read(file: string, key: string): Promise<KvmFinding | undefined> {
  try {
    const { key: known, finding } = JSON.parse(await readFile(file, 'utf8'))
    if (known !== key || typeof finding !== 'object') return undefined
    if (finding.works === true) return { works: true }
    return typeof finding.reason === 'string' ? { works: false, reason: finding.reason } : undefined
  } catch {
    return undefined
  }
}

async function write(folder: string, file: string, content: unknown): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 })
  const part = `${file}.${process.pid}`
  await writeFile(part, JSON.stringify(content), { mode: 0o600 })
  await rename(part, file)
}
