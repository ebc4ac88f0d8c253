// The preset of jest: `"preset": "singlet"`. docs/testing.md describes it.
module.exports = {
  globalSetup: require.resolve('./setup.cjs'),
  globalTeardown: require.resolve('./teardown.cjs'),
  testEnvironment: require.resolve('./environment.cjs'),
};
