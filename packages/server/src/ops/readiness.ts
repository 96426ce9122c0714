import { statfs } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { unavailability } from '../db/faults.ts'

/** Why the service is not ready; undefined where nothing is wrong. */
export type ReadinessCheck = () => string | undefined | Promise<string | undefined>

/** What must hold before calls should be sent to this process, by the name that /readyz shows. */
export type ReadinessChecks = Readonly<Record<string, ReadinessCheck>>

/** Four segments of the log that PostgreSQL writes every change to first: with less, it may stop at any change. */
const minFreeBytes = 64 * 1024 * 1024
const minFreeInodes = 1000

export function databaseCheck(db: Database): ReadinessCheck {
  return async () => {
    try {
      await sql`SELECT 1`.execute(db)
      return undefined
    } catch (error) {
      return `${unavailability(error) ?? 'The database failed'}.`
    }
  }
}

/** Whether the disk of the data directory has space left for the database, machines and screenshots. */
export function diskCheck(folder: string): ReadinessCheck {
  return async () => {
    const { bavail, bsize, files, ffree } = await statfs(folder)
    const free = bavail * bsize
    if (free < minFreeBytes)
      return `The disk of the data directory has ${mebibytes(free)} MiB left and needs ${mebibytes(minFreeBytes)} MiB.`
    // Some file systems make inodes as they need them, and tell 0 of 0.
    if (files > 0 && ffree < minFreeInodes)
      return `The disk of the data directory has room for ${ffree} more files and needs it for ${minFreeInodes}.`
    return undefined
  }
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024)
}
