import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { buildImage, imageFolder } from '@sandglass/machines/images'
import { Floor } from './rivals/floor.ts'
import { median, type Row, row } from './row.ts'
import { type BenchService, imagesDir, withService } from './service.ts'
import { timed } from './timed.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const built = join(root, 'packages/client/dist')
const rounds = 300
const programRounds = 25

/**
 * What the client library costs beside a bare `fetch`, and its command line beside `runc exec`, alternating in the same run. The
 * package is measured as it is published.
 */
export default async function bench(): Promise<Row[]> {
  await buildImage('minimal', { imagesDir, onProgress: console.error })
  await run(process.execPath, [join(root, 'scripts/build-client.ts')])
  return [
    ...(await withService({ env: { SANDGLASS_LOG_LEVEL: 'warn' } }, async service => [
      ...(await calls(service)),
      ...(await commands(service)),
    ])),
    await importTime(),
    await packedSize(),
  ]
}

/** Both make the same request of the same service, and parse the same answer. */
async function calls({ create, client }: BenchService): Promise<Row[]> {
  const sandbox = await create()
  const sandboxId = sandbox.id
  const { Sandglass } = await import(pathToFileURL(join(built, 'index.js')).href)
  const published: typeof client = new Sandglass(await client.credentials())
  const bare = async (path: string, body: unknown) => {
    const headers = { ...sandbox.headers, 'content-type': 'application/json' }
    const answer = await fetch(sandbox.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(await answer.text())
    return answer.json()
  }
  const px = (value: number) => ({ type: 'px', value }) as const
  const click = (round: number) => ({
    action: { type: 'mouse:click', x: px(100 + (round % 50)), y: px(100), button: 1 } as const,
    includeScreenShot: false,
    settle: 'none' as const,
  })
  const picture = { includeImage: true }
  return [
    await compare(
      'click, the client beside fetch',
      round => published.executeSandboxAction({ sandboxId, body: click(round) }),
      round => bare('/actions/execute', click(round)),
    ),
    await compare(
      'screenshot, the client beside fetch',
      () => published.previewSandbox({ sandboxId, body: picture }),
      () => bare('/preview', picture),
    ),
  ]
}

async function compare(
  name: string,
  ours: (round: number) => Promise<unknown>,
  theirs: (round: number) => Promise<unknown>,
): Promise<Row> {
  const [own, rival]: [number[], number[]] = [[], []]
  for (let round = -30; round < rounds; round++) {
    // Each is as often the first as the second of a round.
    const isFirst = round % 2 === 0
    const early = await timed(() => (isFirst ? ours : theirs)(round))
    const late = await timed(() => (isFirst ? theirs : ours)(round))
    if (round < 0) continue
    own.push(isFirst ? early : late)
    rival.push(isFirst ? late : early)
  }
  return row(`${name} p50`, 'ms', median(own), median(rival))
}

/** With the start of Node, which a command of a shell pays each time. */
async function commands({ create, client, folder }: BenchService): Promise<Row[]> {
  const { id } = await create()
  const { url, orgId, apiKey } = await client.credentials()
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    SANDGLASS_URL: url,
    SANDGLASS_ORG: orgId,
    SANDGLASS_API_KEY: apiKey,
  }
  const command = [join(built, 'cli.js'), 'sandbox', 'exec', id, '--', 'true']
  const floor = await Floor.start(
    join(imagesDir, await imageFolder('minimal')),
    folder,
    `floor-${process.pid}-cli`,
  )
  try {
    const [ours, theirs, starts]: [number[], number[], number[]] = [[], [], []]
    for (let round = -2; round < programRounds; round++) {
      const theirTime = await floor.exec()
      const ourTime = await timed(() => run(process.execPath, command, { env }))
      const startTime = await timed(() => run(process.execPath, ['-e', '0'], { env }))
      if (round < 0) continue
      theirs.push(theirTime)
      ours.push(ourTime)
      starts.push(startTime)
    }
    return [
      row('sandglass sandbox exec true p50, beside runc exec', 'ms', median(ours), median(theirs)),
      row('sandglass sandbox exec true p50, beside an empty Node script', 'ms', median(ours), median(starts)),
    ]
  } finally {
    await floor.stop()
  }
}

/** A program that imports the package, beside one that does nothing. */
async function importTime(): Promise<Row> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-bench-'))
  try {
    const [importing, empty] = [join(folder, 'importing.mjs'), join(folder, 'empty.mjs')]
    await writeFile(importing, `import ${JSON.stringify(pathToFileURL(join(built, 'index.js')).href)}\n`)
    await writeFile(empty, '')
    const [ours, theirs]: [number[], number[]] = [[], []]
    for (let round = -2; round < programRounds; round++) {
      const ourTime = await timed(() => run(process.execPath, [importing]))
      const theirTime = await timed(() => run(process.execPath, [empty]))
      if (round < 0) continue
      ours.push(ourTime)
      theirs.push(theirTime)
    }
    return row('import of the client p50, beside an empty script', 'ms', median(ours), median(theirs))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function packedSize(): Promise<Row> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-bench-'))
  try {
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: built })
    const [{ filename }] = JSON.parse(stdout)
    const { length } = await readFile(join(folder, filename))
    return row('packed size of the client and its command line', 'KiB', length / 1024)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
