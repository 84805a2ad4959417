package dev.pvcpopulators.volume.web;

import dev.pvcpopulators.volume.FakePopulator;
import jakarta.inject.Singleton;

/// The fake as the application's populator.
@Singleton
public class FakeBean extends FakePopulator {}
