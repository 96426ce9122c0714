import { type Promised, product } from './product.ts'
import type { Result } from './results.ts'

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** docs/reliability.md, generated from the results of a run. */
export function reliabilityPage(results: readonly Result[], about: string): string {
  return `# Reliability

What callers see when a process is killed, hangs or is slow, and how long it takes until everything works again. This page is
written by \`npm run faults\`, which injects all of these faults into a real service with real machines, under a workload that remembers
every acknowledgement. After each fault it compares the bytes of every file, fetches every screenshot, looks up every change in the
audit log, and checks for processes, mounts, cgroups and rows that were left behind.

- **kill -9**: the process is killed. **stopped**: SIGSTOP until every kind of call was answered (the service itself: for a
  few seconds), then SIGCONT. **slow**: for 5 s it runs a tenth of the time.
- **Promised** is the longest time from the end of the fault until every kind of call succeeds, on a host with a spare core. The
  test restarts a killed service at once, as an init system would; a machine whose process 1 was killed is \`STOPPED\`, and its
  caller restarts it.
- No call gets a 500, and none hangs. A 503 means that nothing was done.
- Killing the service may lose screenshots of the last moment ([screenshots.md](screenshots.md)).

| process | fault | refused meanwhile | longest call | restored in: p50 | max | promised |
|---|---|---|---|---|---|---|
${product()
  .map(promised => row(promised, results))
  .join('\n')}

Measured: ${about}.
`
}

/** The beginning of a row of the page, which test/faults/page.test.ts looks for. */
export function rowStart({ target, fault }: Promised): string {
  return `| ${target} | ${fault} |`
}

function row(promised: Promised, results: readonly Result[]): string {
  const own = results.filter(({ target, fault }) => target === promised.target && fault === promised.fault)
  const within = `${promised.promisedSeconds} s`
  if (own.length === 0) return `${rowStart(promised)} not measured | – | – | – | ${within} |`
  const times = own.map(({ restoredMs }) => restoredMs).sort((a, b) => a - b)
  const [median = 0, longest = 0] = [times[Math.floor((times.length - 1) / 2)], times.at(-1)]
  const refusals = [...new Set(own.flatMap(result => result.refusals))].sort().join(', ') || 'nothing'
  const call = Math.max(...own.map(({ longestCallMs }) => longestCallMs))
  const cells = [refusals, seconds(call), seconds(median), seconds(longest), within]
  return `${rowStart(promised)} ${cells.join(' | ')} |`
}
