import { glob, readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { installMissing } from '@sandglass/machines/local'
import type { Row } from './row.ts'

/**
 * `npm run bench` runs all benchmarks, `npm run bench api` one, and `npm run bench inside` those whose names begin
 * with it, unless `-- --only` follows. Prints a table and writes results.json.
 */

/** Modules that are shared by benchmarks and are not benchmarks themselves. */
const parts = new Set(
  'beside-bare door-rows drawings events-switch hostile-caller load model-texts processor-time row run sandbox-rows service timed'.split(
    ' ',
  ),
)
const known: string[] = []
for await (const file of glob('*.ts', { cwd: import.meta.dirname })) known.push(basename(file, '.ts'))
const figures = known.filter(name => !parts.has(name)).sort()
const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'boolean' } } })
const asked = positionals.length > 0 ? positionals : figures
const figuresOf = (name: string) =>
  figures.filter(figure => figure === name || (!values.only && figure.startsWith(`${name}-`)))
const wanted = [...new Set(asked.flatMap(figuresOf))]
const unknown = asked.filter(name => figuresOf(name).length === 0)
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}; there are ${figures.join(', ')}.`)
  process.exit(1)
}

await installMissing()
const rows: Row[] = []
for (const name of wanted) {
  const { default: bench }: { default: () => Promise<Row[]> } = await import(`./${name}.ts`)
  rows.push(...(await bench()))
}
console.table(Object.fromEntries(rows.map(({ name, ...figures }) => [name, figures])))

// Keep the results of benchmarks that were not run now.
const file = new URL('results.json', import.meta.url)
const earlier: Row[] = JSON.parse(await readFile(file, 'utf8').catch(() => '[]'))
const measured = new Set(rows.map(({ name }) => name))
const kept = wanted.length < figures.length ? earlier.filter(({ name }) => !measured.has(name)) : []
await writeFile(file, `${JSON.stringify([...kept, ...rows], null, 2)}\n`)
