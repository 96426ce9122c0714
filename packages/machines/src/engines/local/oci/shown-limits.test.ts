import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { type CgroupLayout, groupOf } from './cgroups.ts'
import { firstProcessors, showUse, writeShownLimits } from './shown-limits.ts'

const MiB = 1024 * 1024
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandglass-shown-'))
})
after(() => rm(folder, { recursive: true, force: true }))

const used: Record<'v1' | 'v2', Record<string, string>> = {
  v1: {
    'memory.limit_in_bytes': String(512 * MiB),
    'memory.usage_in_bytes': String(200 * MiB),
    'memory.stat': `cache ${80 * MiB}\nrss ${90 * MiB}\ninactive_file ${50 * MiB}\nactive_file ${20 * MiB}\n`,
    'cpuacct.stat': 'user 300\nsystem 100\n',
  },
  v2: {
    'memory.max': String(512 * MiB),
    'memory.current': String(200 * MiB),
    'memory.stat': `anon ${90 * MiB}\nfile ${80 * MiB}\ninactive_file ${50 * MiB}\nactive_file ${20 * MiB}\n`,
    'cpu.stat': 'usage_usec 4000000\nuser_usec 3000000\nsystem_usec 1000000\n',
  },
}

for (const kind of ['v1', 'v2'] as const)
  it(`the files of a machine say what its cgroups count, with cgroups ${kind}`, async () => {
    const root = join(folder, kind)
    const group = join(root, groupOf('test', 'm'))
    await mkdir(group, { recursive: true })
    for (const [name, content] of Object.entries(used[kind])) await writeFile(join(group, name), content)
    const paths = { shownLimits: join(root, 'shown') }
    writeShownLimits(paths, { memoryMiB: 512 }, 2)
    const files = ['meminfo', 'stat'].map(name => join(paths.shownLimits, name))
    const sizes = () => Promise.all(files.map(async file => (await stat(file)).size))
    const before = await sizes()
    const layout: CgroupLayout = { kind, roots: { memory: root, cpu: root, cpuacct: root } }
    showUse(paths, { layout, group: groupOf('test', 'm'), processors: 2 })
    assert.deepEqual(await sizes(), before, 'they are written over while programs read them')
    const [memory = '', processors = ''] = await Promise.all(files.map(file => readFile(file, 'utf8')))
    const kib = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(memory)?.[1])
    assert.deepEqual(
      ['MemTotal', 'MemFree', 'MemAvailable', 'Cached', 'AnonPages', 'SwapTotal'].map(
        name => kib(name) / 1024,
      ),
      [512, 312, 382, 80, 90, 0],
    )
    assert.match(processors, /^cpu +300 0 +100 /)
    assert.match(processors, /^cpu1 +150 0 +50 /m)
    assert.doesNotMatch(processors, /^cpu2/m)
    assert.equal((await readFile(join(paths.shownLimits, 'online'), 'utf8')).trim(), '0-1')
  })

it('a machine sees the first processors of the host, numbered from 0', () => {
  const host = 'processor\t: 0\nmodel\t: A\n\nprocessor\t: 4\nmodel\t: B\n\nprocessor\t: 5\nmodel\t: C\n\n'
  assert.equal(firstProcessors(host, 2), 'processor\t: 0\nmodel\t: A\n\nprocessor\t: 1\nmodel\t: B\n\n')
})
