export { captureOf } from './capture-of.ts'
export { gradient, windows } from './frames.ts'
export { workersHere } from './workers-here.ts'
