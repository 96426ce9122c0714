import { parseArgs } from 'node:util'
import { forgetSecretKey } from './auth/open-secret-keys.ts'
import { readSecretKeys, type SecretKeySource } from './auth/secret-key-source.ts'
import { SecretKeys } from './auth/secret-keys.ts'
import { readEnvironment } from './environment/read-environment.ts'
import { withOwnerDatabase } from './owner-database.ts'
import { writePrivateFile } from './private-file.ts'
import { readSettings } from './settings.ts'

const usage = `npm run secret-key                    shows where the secret keys are, and their ids
npm run secret-key -- --new           prints a new key, for SANDGLASS_SECRET_KEY or SANDGLASS_SECRET_KEY_FILE
npm run secret-key -- --rotate        adds a new key to the file; the service uses it after a restart
npm run secret-key -- --remove-old    removes all keys but the newest from the file
npm run secret-key -- --lost          lets the service start with another key, if the right one cannot be found
See "The secret key" in docs/operating.md.`

/** `npm run secret-key`. It prints a key only with --new. */
try {
  const chosen = readArguments()
  if (chosen.help) console.log(usage)
  else if (chosen.new) process.stdout.write(SecretKeys.generate().text)
  else await work(chosen)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function work(chosen: ReturnType<typeof readArguments>): Promise<void> {
  const settings = readSettings(readEnvironment(process.env))
  if (chosen.lost) {
    await withOwnerDatabase(settings, forgetSecretKey)
    console.log(`The next start uses the key that it finds, or creates one. What the lost key made is no longer valid:
live tokens and access tokens of mappings must be requested again, and sandboxes with an env that were not
created yet go to ERROR.`)
    return
  }
  const source = await readSecretKeys(settings)
  if (chosen.rotate) await rotate(source)
  else if (chosen['remove-old']) await removeOld(source)
  else show(source)
}

function show({ place, keys }: SecretKeySource): void {
  console.log(
    keys
      ? `${place} has ${keys.ids.map((id, at) => `the key ${id}${at === 0 ? ', which is in use' : ', which is accepted'}`).join(', and ')}.`
      : `${place} does not exist yet. The first start on a new database creates it.`,
  )
}

async function rotate(source: SecretKeySource): Promise<void> {
  const { file, keys } = inFile(source)
  const rotated = keys.rotated()
  await writePrivateFile(file, rotated.text)
  console.log(`${file} has the new key ${rotated.ids[0]} in front of ${keys.ids.join(', ')}.

1. Restart the service. It then uses the new key, still accepts what the old one made, and encrypts the env of
   sandboxes again.
2. Live tokens are renewed by themselves. Give people who use access tokens of mappings the new ones.
3. Run npm run secret-key -- --remove-old and restart. What the old key made is then refused.

With several processes on the database, first give every process the old key followed by the new one and restart
them all, so that each accepts the new key. Then put the new key first everywhere, and restart them again.
Back up the file: without it, a backup of the database cannot be used completely.`)
}

async function removeOld(source: SecretKeySource): Promise<void> {
  const { file, keys } = inFile(source)
  const newest = keys.newestOnly()
  await writePrivateFile(file, newest.text)
  console.log(`${file} has only the key ${newest.ids[0]} now. Restart the service.`)
}

function inFile({ file, place, keys }: SecretKeySource): {
  readonly file: string
  readonly keys: SecretKeys
} {
  if (file === undefined)
    throw new Error(
      `${place} is a setting, which this command cannot change. Put a key of npm run secret-key -- --new in front of the others, separated by a comma, and remove the old one later.`,
    )
  if (!keys) throw new Error(`${file} does not exist yet. The first start on a new database creates it.`)
  return { file, keys }
}

function readArguments() {
  const flag = { type: 'boolean', default: false } as const
  try {
    const options = { new: flag, rotate: flag, 'remove-old': flag, lost: flag, help: flag }
    return parseArgs({ options }).values
  } catch (cause) {
    throw new Error(`${cause instanceof Error ? cause.message : cause}\n\n${usage}`, { cause })
  }
}
