import { type RawBuilder, sql } from 'kysely'

/** A sandbox lives for at most 13 days from its creation, also if it is paused for most of them. */
export const maxLifeSeconds = 13 * 86_400

export function inSeconds(seconds: RawBuilder<unknown> | number): RawBuilder<Date> {
  return sql<Date>`now() + make_interval(secs => ${seconds})`
}

/** The end of a new sandbox. One that a trial session created ends with the trial at the latest. */
export function endOfNew(lifeSeconds: number, createdBy: string): RawBuilder<Date> {
  return sql<Date>`least(${inSeconds(lifeSeconds)}, ${trialEnd(sql`${createdBy}::text`)})`
}

/** The time at which the sandbox of a row ends whatever its rules are. */
export const lastEnd: RawBuilder<Date> = sql<Date>`least(
  sandboxes.created_at + make_interval(secs => ${sql.lit(maxLifeSeconds)}), ${trialEnd(sql.ref('sandboxes.created_by'))})`

/** The end of a sandbox that may live, or is kept, for these seconds from now. */
export function endFromNow(seconds: RawBuilder<unknown> | number): RawBuilder<Date> {
  return sql<Date>`least(${inSeconds(seconds)}, ${lastEnd})`
}

/**
 * The times of a sandbox that is paused or hibernated. If it is to be paused when its time is up, it is kept for these
 * seconds; otherwise its time goes on. A sandbox that would be paused when it is idle cannot be idle meanwhile.
 */
export function asleepClock(keepSeconds: number) {
  return {
    kept: sql<boolean>`on_timeout = 'pause'`,
    expires_at: sql<Date>`CASE WHEN on_timeout = 'pause' THEN ${endFromNow(keepSeconds)} ELSE expires_at END`,
    idle_at: sql<Date | null>`CASE WHEN on_idle = 'pause' THEN NULL ELSE idle_at END`,
  }
}

/** The times of a sandbox that runs again: one that was kept has as much time as it was given before. */
export const awakeClock = {
  kept: false,
  expires_at: sql<Date>`CASE WHEN kept THEN ${endFromNow(sql.ref('life_seconds'))} ELSE expires_at END`,
  idle_at: sql<Date | null>`coalesce(idle_at, ${inSeconds(sql.ref('idle_seconds'))})`,
}

function trialEnd(createdBy: RawBuilder<unknown>): RawBuilder<Date | null> {
  return sql<Date | null>`(SELECT least(trial.expires_at, trial.revoked_at) FROM trial_tokens AS trial
    WHERE starts_with(${createdBy}, 'trialToken:') AND trial.id = substr(${createdBy}, 12))`
}
