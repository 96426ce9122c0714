import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, open, readFile, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '@sandglass/machines/testing'
import { parseConfiguration } from '../../packages/server/src/environment/parse-configuration.ts'

/** The values of a setting of a unit, in the order in which they are there. */
function valuesOf(unit: string, name: string): string[] {
  const lines = unit.split('\n').filter(line => line.startsWith(`${name}=`))
  return lines.map(line => line.slice(name.length + 1).replaceAll('%%', '%'))
}

const words = (text: string) =>
  [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')

/** The hierarchy in which systemd keeps the processes of units: that of v2, or its own on v1. */
function cgroupRoot(): string {
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map(line => line.split(' '))
  const found =
    mounts.find(([, , type]) => type === 'cgroup2') ??
    mounts.find(([, , type, options = '']) => type === 'cgroup' && options.includes('name=systemd'))
  return found?.[1] ?? assert.fail('there are no cgroups')
}

/**
 * Runs a unit as systemd does, where there is no systemd: with an environment that is empty except for what the unit and
 * systemd set, with the capabilities that the unit leaves, and in a cgroup of its own.
 */
export class UnitProcess {
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown>
  readonly #cgroup: string
  readonly #journal: string

  private constructor(child: ChildProcess, cgroup: string, journal: string) {
    this.#child = child
    this.#exited = once(child, 'exit')
    this.#cgroup = cgroup
    this.#journal = journal
  }

  /** `folder` has the journal, which is new for each start. `environmentFile` is in place of that of the unit. */
  static async start(unit: string, folder: string, environmentFile: string): Promise<UnitProcess> {
    const cgroup = join(cgroupRoot(), `sandglass-unit-${process.pid}`)
    await mkdir(cgroup, { recursive: true })
    const journal = join(folder, `journal-${Date.now()}`)
    const output = await open(journal, 'w')
    const { dev, ino } = await output.stat()
    const assigned = valuesOf(unit, 'Environment').flatMap(words)
    const env = {
      LANG: 'C.UTF-8',
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      INVOCATION_ID: '0123456789abcdef0123456789abcdef',
      JOURNAL_STREAM: `${dev}:${ino}`,
      SYSTEMD_EXEC_PID: '1',
      ...Object.fromEntries(assigned.map(text => /^([^=]*)=(.*)$/.exec(text)?.slice(1) ?? [])),
      ...Object.fromEntries(parseConfiguration(await readFile(environmentFile, 'utf8'), environmentFile)),
    }
    const dropped = valuesOf(unit, 'CapabilityBoundingSet').flatMap(text => text.replace(/^~/, '').split(' '))
    const bounding = dropped.map(name => `-${name.replace(/^CAP_/, '').toLowerCase()}`).join(',')
    const [command = ''] = valuesOf(unit, 'ExecStart')
    const script = `echo $$ > ${join(cgroup, 'cgroup.procs')} && exec setpriv --bounding-set ${bounding} -- "$@"`
    const child = spawn('sh', ['-c', script, 'sh', ...words(command)], {
      cwd: valuesOf(unit, 'WorkingDirectory')[0],
      env,
      stdio: ['ignore', output.fd, output.fd],
    })
    await output.close()
    const started = new UnitProcess(child, cgroup, journal)
    await waitFor(async () => {
      assert.equal(child.exitCode, null, await started.printed())
      return (await started.printed()).includes('Try it:')
    })
    return started
  }

  printed(): Promise<string> {
    return readFile(this.#journal, 'utf8')
  }

  /** As systemd stops a unit with KillMode=mixed. Returns the exit code. */
  async stop(): Promise<number | null> {
    this.#child.kill('SIGTERM')
    await this.#exited
    await this.#killRest()
    return this.#child.exitCode
  }

  /** The main process crashes, and systemd ends what is left of the unit. */
  async crash(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exited
    await this.#killRest()
  }

  async #killRest(): Promise<void> {
    await waitFor(async () => {
      const processes = await readFile(join(this.#cgroup, 'cgroup.procs'), 'utf8').catch(() => '')
      for (const pid of processes.split('\n').filter(Boolean)) kill(Number(pid))
      return rmdir(this.#cgroup).then(
        () => true,
        error => error.code === 'ENOENT',
      )
    })
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
