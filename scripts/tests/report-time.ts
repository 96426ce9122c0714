import { writeFileSync } from 'node:fs'
import { processorSeconds } from './processor-time.ts'

/** Each process of tests begins with this. At its end it writes down how much processor time it has taken. */
const file = process.env['SANDGLASS_TEST_TIME']
// What processes take that the test starts and waits for is counted as its own.
delete process.env['SANDGLASS_TEST_TIME']
if (file) process.on('exit', () => writeFileSync(file, String(processorSeconds())))
