import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, waitFor } from '@sandglass/machines/testing'
import { z } from 'zod'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { unpackDebianPackage } from './debian-programs.ts'
import { temporaryFolder } from './service-process.ts'

const run = promisify(execFile)
const program = async (name: string) => join(await unpackDebianPackage('prometheus'), 'usr/bin', name)

const Answer = z.object({ status: z.string(), error: z.string().optional(), data: z.unknown() })
const Result = z.object({ result: z.array(z.unknown()) })
const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(z.object({ name: z.string(), health: z.string(), lastError: z.string().optional() })),
    }),
  ),
})

/** Runs promtool, and fails with what it printed if it finds something wrong. */
export async function promtool(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(await program('promtool'), [...args]).catch(cause => {
    throw new Error(`promtool ${args.join(' ')}: ${cause.stdout}${cause.stderr}`, { cause })
  })
  return stdout
}

/** A Prometheus that listens on the loopback address only and ends with the test. */
export class Prometheus {
  readonly #url: string

  private constructor(url: string) {
    this.#url = url
  }

  /** Starts one that scrapes a service every second under the name of this job, and evaluates these rules. */
  static async start(job: string, target: string, rules: string): Promise<Prometheus> {
    const folder = await temporaryFolder()
    const config = join(folder, 'prometheus.json')
    // JSON is YAML.
    await writeFile(
      config,
      JSON.stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [rules],
        scrape_configs: [{ job_name: job, static_configs: [{ targets: [target] }] }],
      }),
    )
    const address = `127.0.0.1:${await freePort()}`
    const child = spawn(
      await program('prometheus'),
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=${address}`,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    cleanup.defer(() => end(child))
    let printed = ''
    child.stderr.on('data', chunk => {
      printed += chunk
    })
    const url = `http://${address}`
    await waitFor(async () => {
      if (child.exitCode !== null) throw new Error(`Prometheus ended and printed: ${printed}`)
      return (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok === true
    })
    return new Prometheus(url)
  }

  /** Returns the series that a query results in. Fails with the reason if it cannot be answered. */
  async query(query: string): Promise<readonly unknown[]> {
    return Result.parse(await this.#ask(`query?query=${encodeURIComponent(query)}`)).result
  }

  async rules(): Promise<readonly z.output<typeof Rules>['groups'][number]['rules'][number][]> {
    return Rules.parse(await this.#ask('rules')).groups.flatMap(({ rules }) => rules)
  }

  async #ask(path: string): Promise<unknown> {
    const response = await fetch(`${this.#url}/api/v1/${path}`)
    const { status, error, data } = Answer.parse(await response.json())
    if (status !== 'success') throw new Error(`${path}: ${error}`)
    return data
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
