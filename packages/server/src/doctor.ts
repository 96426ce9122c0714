import { doctor } from '@sandglass/machines/local'
import { localImages, localOptions } from './local-engines.ts'
import { Catalogue } from './modules/shapes/catalogue.ts'
import { readSettings } from './settings.ts'

const marks = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const

/** `npm run doctor`: what this box has, what is wrong, and the command that mends it. */
try {
  const settings = readSettings(process.env)
  const shapes = await Catalogue.load(settings.SANDGLASS_SHAPES)
  const checks = await doctor(localOptions(settings, settings.SANDGLASS_DATA), localImages(shapes))
  for (const { name, result, what, mend } of checks) {
    console.log(`${marks[result]}  ${name}: ${what}`)
    if (mend !== undefined && result !== 'ok') console.log(`      mend it: ${mend}`)
  }
  process.exitCode = checks.some(({ result }) => result === 'fail') ? 1 : 0
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
