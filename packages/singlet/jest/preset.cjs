// The preset of jest: `"preset": "singlet"`. docs/testing/jest.md describes it.
module.exports = {
  globalSetup: require.resolve('./setup.cjs'),
  globalTeardown: require.resolve('./teardown.cjs'),
  testEnvironment: require.resolve('./environment.cjs'),
};
