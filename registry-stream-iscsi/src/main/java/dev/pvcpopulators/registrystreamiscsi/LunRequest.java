package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.iscsitarget.unit.AccessMode;
import dev.pvcpopulators.kit.source.ChosenImage;
import dev.pvcpopulators.registry.Platform;
import dev.pvcpopulators.registry.disk.DiskPath;
import dev.pvcpopulators.registry.pull.ImageChoice;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;

/// A request for a LUN, by the settings or by a client.
///
/// @param lun the requested number; empty for the next free one
/// @param image the image's reference
/// @param choice selects one of several manifests
/// @param path selects the disk's file in the image
/// @param format the disk's format; empty to detect it by magic numbers
/// @param initiators the initiators that see the LUN
/// @param chap the initiator's CHAP credentials; empty for no authentication
record LunRequest(
    OptionalInt lun,
    ChosenImage image,
    ImageChoice choice,
    DiskPath path,
    Optional<ImageFormat> format,
    AccessMode access,
    CopyMode copy,
    InitiatorRules initiators,
    Optional<ChapAccount> chap) {
  /// The fields that a client may set. Secrets are files of this pod, named by the operator of the
  /// service.
  static final Set<String> FIELDS =
      Set.of("image", "lun", "platform", "path", "format", "accessMode", "copyMode", "initiators");

  private static final String VARIABLE = "REGISTRY_STREAM_ISCSI_IMAGE";
  static final int MAX_LUN = 16_383;

  /// Returns the request for a LUN of the settings.
  ///
  /// @throws VolumeException with [Failure.InvalidRequest] if a value is invalid
  static LunRequest of(RegistryStreamIscsiSettings settings, RegistryStreamIscsiSettings.Lun lun)
      throws VolumeException {
    return of(settings, lun, lun.image(), VolumeRequest.empty());
  }

  /// Returns the request for a LUN of a client. Fields that it omits are taken from the settings of
  /// the single LUN.
  ///
  /// @throws VolumeException with [Failure.InvalidRequest] if a value is invalid
  static LunRequest of(RegistryStreamIscsiSettings settings, VolumeRequest request)
      throws VolumeException {
    return of(settings, settings.single(), settings.single().image(), request);
  }

  private static LunRequest of(
      RegistryStreamIscsiSettings settings,
      RegistryStreamIscsiSettings.Lun lun,
      Optional<String> configured,
      VolumeRequest request)
      throws VolumeException {
    Optional<String> platform = request.text("platform").or(lun::platform);
    List<String> rules =
        request.text("initiators").map(LunRequest::list).or(lun::initiators).orElse(List.of());
    return new LunRequest(
        number(request, lun),
        ChosenImage.of(VARIABLE, configured, request.text("image")),
        new ImageChoice(
            platform.isPresent()
                ? parse("platform", platform.get(), Platform::parse)
                : Platform.ofThisMachine(),
            settings.diskType(),
            platform.isPresent()),
        parse("path", request.text("path").orElse(lun.path()), DiskPath::parse),
        parse("format", request.text("format").orElse(lun.format()), LunRequest::format),
        request.text("accessMode").isPresent()
            ? parse("accessMode", request.text("accessMode").get(), LunRequest::access)
            : lun.accessMode(),
        request.text("copyMode").isPresent()
            ? parse("copyMode", request.text("copyMode").get(), LunRequest::copy)
            : lun.copyMode(),
        parse("initiators", rules, InitiatorRules::of),
        ChapAccount.of(lun.chapUser(), lun.chapSecretFile()));
  }

  private static OptionalInt number(VolumeRequest request, RegistryStreamIscsiSettings.Lun lun)
      throws VolumeException {
    if (request.number("lun").isPresent()) {
      return OptionalInt.of(checked(request.number("lun").getAsLong()));
    }
    // The configured number belongs to the configured image.
    return request.isEmpty() && lun.lun().isPresent()
        ? OptionalInt.of(checked(lun.lun().get()))
        : OptionalInt.empty();
  }

  private static int checked(long number) throws VolumeException {
    if (number < 0 || number > MAX_LUN) {
      throw invalid("Reading lun: expected 0 to " + MAX_LUN + ", found " + number);
    }
    return (int) number;
  }

  private static List<String> list(String text) {
    return Arrays.stream(text.split(",", -1)).map(String::strip).toList();
  }

  static Optional<ImageFormat> format(String name) {
    return switch (name) {
      case "auto" -> Optional.empty();
      case "raw" -> Optional.of(ImageFormat.RAW);
      case "qcow2" -> Optional.of(ImageFormat.QCOW2);
      default ->
          throw new IllegalArgumentException(
              "Expected auto, raw or qcow2: other formats cannot be read while they arrive");
    };
  }

  private static AccessMode access(String name) {
    return constant(AccessMode.class, name);
  }

  private static CopyMode copy(String name) {
    return constant(CopyMode.class, name);
  }

  private static <E extends Enum<E>> E constant(Class<E> type, String name) {
    List<String> words = Arrays.stream(type.getEnumConstants()).map(LunRequest::word).toList();
    int index = words.indexOf(name);
    if (index < 0) {
      throw new IllegalArgumentException("Expected one of " + words);
    }
    return type.getEnumConstants()[index];
  }

  /// Returns a constant as users write it: `write-exclusive`.
  static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static <S, T> T parse(String what, S value, Function<S, T> parser)
      throws VolumeException {
    try {
      return parser.apply(value);
    } catch (IllegalArgumentException e) {
      throw new VolumeException(
          new Failure.InvalidRequest("Reading " + what + ": " + e.getMessage()), e);
    }
  }

  private static VolumeException invalid(String detail) {
    return new VolumeException(new Failure.InvalidRequest(detail));
  }

  /// Returns whether every initiator that reaches the portal may use the LUN.
  boolean isOpen() {
    return initiators.open() && chap.isEmpty();
  }

  /// Returns the selection as text: requests for the same manifest with the same selection give the
  /// same disk.
  String selection() {
    return "path=" + path.pattern() + ";format=" + format.map(ImageFormat::word).orElse("auto");
  }

  /// Returns the request as text, for comparison after a restart.
  String words() {
    return disk()
        + "access="
        + word(access)
        + ";copy="
        + word(copy)
        + (lun.isPresent() ? ";lun=" + lun.getAsInt() : "");
  }

  /// Returns whether a stored LUN continues under this request: the same disk, with an acceptable
  /// number. Access settings are not compared: written data stays.
  boolean continues(LunRecord record) {
    return record.words().startsWith(disk()) && (lun.isEmpty() || lun.getAsInt() == record.lun());
  }

  private String disk() {
    return "image="
        + image.reference()
        + ";"
        + selection()
        + ";platform="
        + choice.platform()
        + ";diskType="
        + choice.diskType()
        + ";";
  }
}
