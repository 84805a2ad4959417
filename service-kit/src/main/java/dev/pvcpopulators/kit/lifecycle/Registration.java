package dev.pvcpopulators.kit.lifecycle;

/// A registration, which [#close] removes; further calls of [#close] do nothing.
@FunctionalInterface
public interface Registration extends AutoCloseable {
  @Override
  void close();
}
