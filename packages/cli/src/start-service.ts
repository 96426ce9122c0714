import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { serviceEnvironment } from './checkout.ts'
import type { Context } from './context.ts'
import { CliError } from './failures.ts'

const greeting = /Sandglass is running at (\S+)/

/** Starts the service. In the foreground, returns its exit code. */
export async function startService(context: Context, checkout: string, isDetached: boolean): Promise<number> {
  const data = context.env['SANDGLASS_DATA'] || join(checkout, 'data')
  const running = await runningAt(data)
  if (running) {
    context.note(`A service is running at ${running} already.`)
    goOn(context, running)
    return 0
  }
  return isDetached ? startInBackground(context, checkout, data) : startInForeground(context, checkout)
}

/** The address of the service that uses a data directory, if it answers. */
async function runningAt(data: string): Promise<string | undefined> {
  const text = await readFile(join(data, 'credentials.json'), 'utf8').catch(() => undefined)
  const url = text === undefined ? undefined : (JSON.parse(text).url as string)
  if (!url) return undefined
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined)
  return answer?.ok ? url : undefined
}

async function startInForeground(context: Context, checkout: string): Promise<number> {
  const child = spawn('npm', ['start'], {
    cwd: checkout,
    env: serviceEnvironment(context.env),
    stdio: ['ignore', 'pipe', 'inherit'],
    // Ctrl-C of a terminal reaches the whole group, so the service must not get it a second time from here.
    detached: true,
  })
  const stop = () => child.pid && process.kill(-child.pid, 'SIGTERM')
  context.signal.addEventListener('abort', stop, { once: true })
  let printed = ''
  let hasGreeted = false
  const { stdout } = child as ChildProcess & { stdout: Readable }
  stdout.on('data', chunk => {
    context.stdout.write(chunk)
    if (hasGreeted) return
    printed += chunk
    const url = greeting.exec(printed)?.[1]
    if (!url || !printed.includes('Try it:')) return
    hasGreeted = true
    goOn(context, url)
  })
  const [code] = await once(child, 'exit')
  context.signal.throwIfAborted()
  return code ?? 1
}

async function startInBackground(context: Context, checkout: string, data: string): Promise<number> {
  await mkdir(data, { recursive: true, mode: 0o700 })
  const file = join(data, 'service.log')
  const log = await open(file, 'a', 0o600)
  const { size } = await log.stat()
  const child = spawn('npm', ['start'], {
    cwd: checkout,
    env: serviceEnvironment(context.env),
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
  })
  await log.close()
  const exited = once(child, 'exit')
  const url = await Promise.race([
    untilGreeting(file, size, context.signal),
    exited.then(() => undefined),
  ]).catch(error => {
    if (child.pid) process.kill(-child.pid, 'SIGTERM')
    throw error
  })
  if (!url)
    throw new CliError(
      'The service did not start.',
      `What it printed is in ${file}:\n${await endOf(file, size)}`,
    )
  child.unref()
  goOn(context, url)
  context.note(`Its log is ${file}. To stop it: kill -- -${child.pid}`)
  return 0
}

/** Reads the log of a service that has just started until it says where it is. */
async function untilGreeting(file: string, from: number, signal: AbortSignal): Promise<string> {
  for (;;) {
    const url = greeting.exec(await textFrom(file, from))?.[1]
    if (url) return url
    await new Promise(resolve => setTimeout(resolve, 200))
    signal.throwIfAborted()
  }
}

async function endOf(file: string, from: number): Promise<string> {
  return (await textFrom(file, from)).trim().split('\n').slice(-10).join('\n')
}

async function textFrom(file: string, from: number): Promise<string> {
  return (await readFile(file)).subarray(from).toString()
}

function goOn({ output, note }: Context, url: string): void {
  output.done({ url }, url, url)
  note(`
Next, in this checkout:
  sandglass sandbox create --name demo    a machine
  sandglass view demo                     its screen, in a browser
  sandglass sandbox exec demo -- uname    a command in it
  sandglass doctor                        if something does not work
From another folder or machine, run \`sandglass login --url ${url}\` first.`)
}
