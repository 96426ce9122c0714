import { execFile } from 'node:child_process'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { SoakedService } from '../soaked-service.ts'

const run = promisify(execFile)

/** The parts of the data directory, by what the table calls them. */
const parts = {
  'database files': 'postgres',
  'log of the database': 'postgres/pg_wal',
  screenshots: 'screenshots',
  'frames that wait': 'local/frames',
  'the volume of disks': 'local/disks.xfs',
  'records of machines': 'local/machines',
  'records of prepared roots': 'local/prepared',
  'records of saved disks': 'local/saved',
  'marks of machines handed out': 'handed-out',
} as const

/** What each part of the data directory takes, and how many files there are in all. */
export async function diskFigures({ data, settings }: SoakedService): Promise<[string, number][]> {
  const found: [string, number][] = []
  for (const [name, part] of Object.entries(parts))
    found.push([`disk: ${name}`, await bytesIn(join(data, part))])
  const { blocks, bfree, bsize } = await statfs(settings.disksDir)
  found.push(['disk: used by disks in the volume', (blocks - bfree) * bsize])
  found.push(['files: in the data directory', await filesIn(data)])
  return found
}

/** Files may disappear while they are counted, which is no failure. */
async function bytesIn(path: string): Promise<number> {
  return await numberOf('du', ['-s', '-x', '--block-size=1', path])
}

async function filesIn(path: string): Promise<number> {
  return await numberOf('du', ['-s', '-x', '--inodes', path])
}

async function numberOf(command: string, args: readonly string[]): Promise<number> {
  const printed = await run(command, [...args]).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => error.stdout ?? '',
  )
  return Number.parseInt(printed, 10) || 0
}
