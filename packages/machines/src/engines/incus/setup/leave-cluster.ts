import { z } from 'zod'
import { IncusError } from '../client/index.ts'
import { listMembers } from '../list-members.ts'
import { longDeadlineMs, type SetupContext, SetupError } from './setup-context.ts'

const Listed = z.object({ location: z.string(), status: z.string() })

/** How often a member is drained that machines are created on, or deleted from, meanwhile. */
const drainTries = 5

/**
 * Moves machines away from a member, or stops those that cannot be moved, and places no others there. This is what
 * Incus calls evacuation.
 */
export async function drainMember({ incus, names, tell }: SetupContext, name: string): Promise<void> {
  await requireMember({ incus }, name)
  tell(`Draining ${name}: its machines are stopped, moved if others have room and started there.`)
  for (let tries = 1; ; tries++) {
    const isLast = tries === drainTries
    try {
      await changeState(incus, name, 'evacuate')
    } catch (error) {
      // Incus gives up if a machine is deleted while it is moved.
      if (isLast || !(error instanceof IncusError && /failed to evacuate/i.test(error.reason))) throw error
      tell('A machine could not be moved. Draining it again.')
      continue
    }
    const late = await runningOn({ incus, names }, name)
    if (late === 0) break
    if (isLast)
      throw new SetupError(
        `${name} is drained, but ${late} machines that were created meanwhile run there. Delete them, or try again: npm run cluster -- return ${name}, and drain it`,
      )
    tell(`${late} machines were created on ${name} meanwhile. Draining it again.`)
    // Incus drains no member that is drained already.
    await restore(incus, name)
  }
  tell(`${name} has no running machines and gets none. To undo it: npm run cluster -- return ${name}`)
}

const restore = (incus: SetupContext['incus'], name: string) => changeState(incus, name, 'restore')

async function changeState(incus: SetupContext['incus'], name: string, action: 'evacuate' | 'restore') {
  await incus.run('POST', `/cluster/members/${encodeURIComponent(name)}/state`, { action }, long)
}

async function runningOn(
  { incus, names }: Pick<SetupContext, 'incus' | 'names'>,
  member: string,
): Promise<number> {
  const listed = await incus.get('/instances?recursion=1', { project: names.project })
  return z
    .array(Listed)
    .parse(listed)
    .filter(({ location, status }) => location === member && status === 'Running').length
}

/** Lets a drained member have machines again, and brings back those that were moved. */
export async function returnMember({ incus, tell }: SetupContext, name: string): Promise<void> {
  const { status } = await requireMember({ incus }, name)
  if (status === 'Online') return tell(`${name} is not drained.`)
  await restore(incus, name)
  tell(`${name} gets machines again, and those that were moved from it are back.`)
}

/**
 * Removes a member. A member that works must have no machines; with `isForced` one that is gone for good is forgotten,
 * with all that it had.
 */
export async function removeMember(
  { incus, tell }: SetupContext,
  name: string,
  isForced: boolean,
): Promise<void> {
  const { status } = await requireMember({ incus }, name)
  if (status === 'Offline' && !isForced)
    throw new SetupError(
      `${name} does not answer. If it is gone for good, forget it and all that it had: npm run cluster -- leave ${name} --force`,
    )
  try {
    const path = `/cluster/members/${encodeURIComponent(name)}${isForced ? '?force=1' : ''}`
    await incus.send('DELETE', path, undefined, long)
  } catch (error) {
    if (!(error instanceof IncusError)) throw error
    throw new SetupError(
      `${name} could not be removed: ${error.reason}. Delete its sandboxes, or drain it first: npm run cluster -- drain ${name}`,
      { cause: error },
    )
  }
  tell(`${name} is no longer a member.`)
}

const long = { deadlineMs: longDeadlineMs }

async function requireMember({ incus }: Pick<SetupContext, 'incus'>, name: string) {
  const members = await listMembers(incus)
  const found = members.find(member => member.name === name)
  if (found) return found
  throw new SetupError(
    `There is no member ${name}. The members are ${members.map(member => member.name).join(', ')}.`,
  )
}
