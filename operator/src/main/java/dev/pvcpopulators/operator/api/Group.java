package dev.pvcpopulators.operator.api;

/// The API group, and the labels and annotations that the operator reads and writes.
public final class Group {
  public static final String NAME = "pvcpopulators.dev";
  public static final String VERSION = "v1alpha1";

  /// Label of every child: the UID of the population that it belongs to.
  public static final String POPULATION = NAME + "/population";

  /// Annotation of every child: the name of the claim that it is for.
  public static final String CLAIM = NAME + "/claim";

  /// Annotation of a Job: the node that its pod has to run on.
  public static final String NODE = NAME + "/node";

  /// Annotation of a filled volume, `NAMESPACE/NAME` of the DiskImage; and of a claim that was
  /// filled, which a restored copy of it keeps.
  public static final String POPULATED_FROM = NAME + "/populated-from";

  /// Annotation of a filled volume: the UID of the claim that it was filled for.
  public static final String POPULATED_FOR = NAME + "/populated-for";

  /// Annotation of a claim: `now` fills it without waiting for its first consumer.
  public static final String BIND = NAME + "/bind";

  /// Provisioner of classes that lend the volumes of another class.
  public static final String LEND = NAME + "/lend";

  /// Provisioner of classes whose claims are LUNs of images that still arrive.
  public static final String STREAM = NAME + "/stream";

  /// Label of everything that belongs to a dynamic volume: its UID.
  public static final String VOLUME = NAME + "/dynamic-volume";

  /// Annotation of everything that belongs to a dynamic volume: `NAMESPACE/NAME` of it.
  public static final String VOLUME_NAME = NAME + "/dynamic-volume-name";

  /// Finalizer of a dynamic volume: what its container made is removed first.
  public static final String FINALIZER = NAME + "/volume";

  private Group() {}
}
