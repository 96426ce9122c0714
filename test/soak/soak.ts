import { appendFile, readFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { seeded } from '@sandglass/wire/testing'
import { unhandled } from '../../packages/server/src/ops/log.ts'
import { churn, useDesktop } from './churn.ts'
import { Faults, settlingMs } from './faults.ts'
import { ProcessorUse } from './figures/processor-time.ts'
import { judge, type Sample } from './judge.ts'
import { leftOver } from './left.ts'
import { createMs, deleteUnused, type Living } from './life.ts'
import { listen } from './listeners.ts'
import { measure } from './measure.ts'
import type { SoakOptions } from './options.ts'
import { Pace } from './pace.ts'
import type { Report } from './report.ts'
import { SoakedService } from './soaked-service.ts'
import { talliedClient } from './tallied-client.ts'
import { Tally } from './tally.ts'

/** Faults happen in the first part of the run; the processes that replace others have grown to their size by the second half. */
const faultsUntil = 0.4
const measuredFrom = 0.5
const faultEveryMs = 150_000

/** Runs until the time is over or the signal is aborted, and removes everything that it has made. */
export async function soak(
  options: SoakOptions,
  stop: AbortSignal,
  say: (text: string) => void,
): Promise<Report> {
  const startedAt = new Date()
  const random = seeded(options.seed)
  const service = await SoakedService.start(options.desktops)
  say(`The service runs. Its log is ${service.logFile}, and the samples are in ${service.samplesFile}.`)
  const ending = new AbortController()
  const { signal } = ending
  const onStop = () => ending.abort()
  stop.addEventListener('abort', onStop)
  if (stop.aborted) onStop()
  try {
    return await run()
  } finally {
    ending.abort()
    stop.removeEventListener('abort', onStop)
    await service.dispose()
  }

  async function run(): Promise<Report> {
    const durationMs = options.minutes * 60_000
    const began = performance.now()
    const timer = setTimeout(onStop, durationMs)
    const faults = new Faults()
    const tally = new Tally(() => faults.isUnderWay)
    const client = talliedClient(service, tally)
    const pace = new Pace(options.load, signal, random)
    const used = new Set<string>()
    const living: Living = { client, tally, pace, random, signal, used }
    const heard = { events: 0, deliveries: 0 }
    const stopListening = await listen(client, heard, signal)
    const samples: Sample[] = []
    const ended = new AbortController()
    const keeping = service.keepRunning(ended.signal)
    const faultsEnd = AbortSignal.any([signal, AbortSignal.timeout(durationMs * faultsUntil)])
    const injecting =
      options.faults === 'none'
        ? undefined
        : faults
            .inject(service, Math.min(faultEveryMs, durationMs / 12), random, faultsEnd)
            .then(() => pause(settlingMs, undefined, { signal }))
            .then(() => deleteUnused(client, used, new Date(Date.now() - createMs)))
            .catch(() => {})
    const sampling = sample(samples, pace)
    const lives = await Promise.all([
      ...Array.from({ length: options.callers }, () => churn(living)),
      ...Array.from({ length: options.desktops }, () => useDesktop(living)),
    ])
    clearTimeout(timer)
    const minutes = (performance.now() - began) / 60_000
    await Promise.all([sampling, injecting])
    await deleteUnused(client, new Set())
    await stopListening()
    const left = stop.aborted ? [] : await leftOver(service)
    ended.abort()
    const [isKilled] = await Promise.all([service.stop(), keeping])
    const measured = samples.filter(({ atMs }) => atMs - began >= minutes * 60_000 * measuredFrom)
    return {
      startedAt,
      minutes,
      options,
      machine: `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB`,
      lives: lives.reduce((total, number) => total + number, 0),
      judged: judge(measured),
      samples: measured.length,
      measuredMinutes: ((measured.at(-1)?.atMs ?? 0) - (measured[0]?.atMs ?? 0)) / 60_000,
      counts: tally.counts,
      refusals: tally.refusals,
      failures: tally.failures,
      failed: tally.failed,
      heard,
      faults: faults.injected,
      leftOver: [...left, ...(isKilled ? ['a service that did not stop'] : [])],
      failedStarts: service.failedStarts,
      unhandled: await unhandledIn(service.logFile),
    }

    async function sample(into: Sample[], paced: Pace): Promise<void> {
      const use = new ProcessorUse(service)
      while (!signal.aborted) {
        const atMs = performance.now()
        try {
          const cores = await use.cores()
          paced.adapt(cores)
          const figures = await measure(service)
          const all = new Map([...figures, ['cores used', cores]])
          into.push({ atMs, figures: all })
          await appendFile(service.samplesFile, `${JSON.stringify({ atMs, ...Object.fromEntries(all) })}\n`)
          say(
            `${((atMs - began) / 60_000).toFixed(1)} min: ${tally.done} calls, ${tally.failed} failed, ` +
              `${figures.get('kernel: cgroups of machines')} machines, ${cores.toFixed(2)} cores, front ` +
              `${Math.round((figures.get('memory: front, private') ?? 0) / 2 ** 20)} MiB`,
          )
        } catch (error) {
          // A service that was killed a moment ago cannot be measured.
          if (!faults.isUnderWay) say(`no sample: ${error}`)
        }
        await pause(options.every * 1000, undefined, { signal }).catch(() => {})
      }
    }
  }
}

async function unhandledIn(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.split('\n').filter(line => line.includes(unhandled))
}
