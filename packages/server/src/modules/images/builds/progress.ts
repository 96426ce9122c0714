import type { ImageBuild } from '@sandglass/protocol'
import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { packagesOf, type WorkStep } from './work-step.ts'

/** How long builds that are over are listed, and how many at most. */
const listedDays = 7
const maxListed = 200

/** Says what a step does, without what the organization wrote, which may contain secrets. */
export function activityOf(step: WorkStep): string {
  if (packagesOf(step)) return 'Installing packages'
  if ('run' in step || 'command' in step) return 'Running a script'
  if ('archive' in step) return 'Copying files'
  return 'file' in step ? 'Writing a file' : 'Setting variables'
}

export async function noteBuildProgress(
  db: Database,
  imageId: string,
  done: number,
  activity: string,
): Promise<void> {
  await db
    .updateTable('image_builds')
    .set({ steps_done: done, activity })
    .where('image_id', '=', imageId)
    .where('steps_done', '<=', done)
    .execute()
}

/** Returns what organizations have asked for, and what nodes build by themselves, the last one first. */
export async function selectImageBuilds(db: Database): Promise<ImageBuild[]> {
  const all = [...(await selectBaseBuilds(db)), ...(await selectBuilds(db))]
  // One that is waiting has yet to begin, so it comes before all others.
  const startOf = ({ startedAt }: ImageBuild) =>
    startedAt === null ? Number.POSITIVE_INFINITY : Date.parse(startedAt)
  return all.toSorted((one, other) => Math.sign(startOf(other) - startOf(one)) || 0).slice(0, maxListed)
}

async function selectBuilds(db: Database): Promise<ImageBuild[]> {
  const rows = await db
    .selectFrom('image_builds as build')
    .innerJoin('machine_images as image', 'image.id', 'build.image_id')
    .selectAll('build')
    .select(['image.name', 'image.org_id', 'image.status', 'image.reason'])
    .where(({ or, eb }) =>
      or([
        eb('build.ended_at', 'is', null),
        eb('build.ended_at', '>', sql<Date>`now() - make_interval(days => ${listedDays})`),
      ]),
    )
    .orderBy('build.started_at', 'desc')
    .limit(maxListed)
    .execute()
  return rows.map(row => {
    const isBuilding = row.status === 'CREATING'
    return {
      image: row.name,
      kind: row.kind,
      imageId: row.image_id,
      organizationId: row.org_id,
      nodeId: isBuilding ? row.node_id : null,
      state: isBuilding ? 'building' : row.status === 'READY' ? 'ready' : 'failed',
      progress: isBuilding ? { done: row.steps_done, total: row.steps_total, text: row.activity } : null,
      startedAt: row.started_at.toISOString(),
      endedAt: row.ended_at?.toISOString() ?? null,
      reason: row.reason,
    }
  })
}

async function selectBaseBuilds(db: Database): Promise<ImageBuild[]> {
  const nodes = await db
    .selectFrom('nodes')
    .select(['id', 'image_builds'])
    .where('lost_at', 'is', null)
    .execute()
  return nodes.flatMap(({ id, image_builds }) =>
    (image_builds ?? []).map(build => ({
      image: build.image,
      kind: 'base' as const,
      imageId: null,
      organizationId: null,
      nodeId: id,
      state: build.state,
      progress: build.state === 'building' ? { done: 0, total: null, text: build.activity ?? null } : null,
      startedAt: build.startedAt ?? null,
      endedAt: build.endedAt ?? null,
      reason: build.state === 'waiting' ? 'It is built after others.' : (build.reason ?? null),
    })),
  )
}
