package dev.pvcpopulators.kit.lifecycle;

/// A registration that closing removes; closing it again does nothing.
@FunctionalInterface
public interface Registration extends AutoCloseable {
  @Override
  void close();
}
