export { randomBytes, seeded } from './random.ts'
