export { type BuildOptions, buildImage, imageFolder } from './build-image.ts'
export { type Recipe, readRecipe, recipesFolder } from './recipe.ts'
