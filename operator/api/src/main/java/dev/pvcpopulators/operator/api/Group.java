package dev.pvcpopulators.operator.api;

/// The API group and its version, and the operator's labels, annotations, provisioners and
/// finalizer.
public final class Group {
  public static final String NAME = "pvcpopulators.dev";
  public static final String VERSION = "v1alpha1";

  /// Label of every child (an object that the operator creates for a population): the UID of the
  /// population.
  public static final String POPULATION = NAME + "/population";

  /// Annotation of every child: the name of the claim for which the child was created.
  public static final String CLAIM = NAME + "/claim";

  /// Annotation of a Job: the node on which its pod must run.
  public static final String NODE = NAME + "/node";

  /// Annotation of a filled volume: `NAMESPACE/NAME` of the DiskImage. A filled claim has this
  /// annotation, too, and still has it after the claim was restored from a backup. On the
  /// DynamicVolume of a stream, the value is only the name of the DiskImage.
  public static final String POPULATED_FROM = NAME + "/populated-from";

  /// Annotation of a filled volume: the UID of the claim for which the volume was filled.
  public static final String POPULATED_FOR = NAME + "/populated-for";

  /// Annotation of a claim: with the value `now`, the operator fills the claim without waiting for
  /// the first consumer.
  public static final String BIND = NAME + "/bind";

  /// Provisioner of lending StorageClasses. In such a class, `parameters.class` names the class
  /// that provisions the volumes.
  public static final String LEND = NAME + "/lend";

  /// Provisioner of streaming StorageClasses. The volume of a claim of such a class is a LUN, which
  /// can be used before the disk image is completely downloaded.
  public static final String STREAM = NAME + "/stream";

  /// Label of every object that belongs to a dynamic volume: the UID of the dynamic volume.
  public static final String VOLUME = NAME + "/dynamic-volume";

  /// Annotation of every object that belongs to a dynamic volume: the `NAMESPACE/NAME` of the
  /// dynamic volume.
  public static final String VOLUME_NAME = NAME + "/dynamic-volume-name";

  /// Finalizer of a dynamic volume: keeps the object until its container has removed the volume.
  public static final String FINALIZER = NAME + "/volume";

  private Group() {}
}
