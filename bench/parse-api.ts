import { besideBare } from './beside-bare.ts'
import { task } from './model-texts.ts'

const bodies = task.map(textContent => JSON.stringify({ textContent }))

/** Parsing the text of models over HTTP. */
export default () =>
  besideBare(() => [{ name: 'POST parse', path: '/api/computer-use/parse/ui-tars', bodies }])
