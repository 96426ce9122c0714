export { Allowance } from './allowance.ts'
