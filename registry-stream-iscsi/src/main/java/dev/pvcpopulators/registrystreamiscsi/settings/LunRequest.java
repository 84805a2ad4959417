package dev.pvcpopulators.registrystreamiscsi.settings;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.iscsitarget.unit.AccessMode;
import dev.pvcpopulators.kit.source.ChosenDisk;
import dev.pvcpopulators.kit.source.ChosenImage;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/// A request for a LUN, by the settings or by a client.
///
/// @param lun the requested number; empty for the lowest free number
/// @param disk the disk in an image
/// @param initiators the initiators that see the LUN
/// @param chap the initiator's CHAP credentials; empty for no authentication
public record LunRequest(
    OptionalInt lun,
    ChosenDisk disk,
    AccessMode access,
    CopyMode copy,
    InitiatorRules initiators,
    Optional<ChapAccount> chap) {
  /// The fields that a client may set. A client cannot set secrets. A secret is in a file of this
  /// pod, and only the settings may name such files.
  public static final Set<String> FIELDS =
      Set.of("image", "lun", "platform", "path", "format", "accessMode", "copyMode", "initiators");

  /// The valid formats, as the words after "expected" in a message.
  static final String FORMATS =
      "auto, "
          + ImageFormat.names(ImageFormat::onePass)
          + ": other formats cannot be read while they arrive";

  private static final String VARIABLE = "REGISTRY_STREAM_ISCSI_IMAGE";
  static final int MAX_LUN = 16_383;

  /// Returns the request for a LUN of the settings.
  ///
  /// @throws VolumeException with [Failure.InvalidRequest] if a value is invalid
  public static LunRequest of(
      RegistryStreamIscsiSettings settings, RegistryStreamIscsiSettings.Lun lun)
      throws VolumeException {
    return of(settings, lun, VolumeRequest.empty());
  }

  /// Returns a client's request for a LUN. Fields that the client omits are taken from the LUN of a
  /// simple configuration, [RegistryStreamIscsiSettings#single]. The configured number is used only
  /// if the request has no fields.
  ///
  /// @throws VolumeException with [Failure.InvalidRequest] if a value is invalid
  public static LunRequest of(RegistryStreamIscsiSettings settings, VolumeRequest request)
      throws VolumeException {
    return of(settings, settings.single(), request);
  }

  private static LunRequest of(
      RegistryStreamIscsiSettings settings,
      RegistryStreamIscsiSettings.Lun lun,
      VolumeRequest request)
      throws VolumeException {
    Optional<List<String>> rules =
        request.text("initiators").map(LunRequest::list).or(lun::initiators);
    return new LunRequest(
        number(request, lun),
        ChosenDisk.of(
            VARIABLE,
            lun,
            settings.diskType(),
            request.value("format", lun.format(), LunRequest::format),
            request),
        request
            .value("accessMode", Optional.empty(), name -> constant(AccessMode.class, name))
            .orElseGet(lun::accessMode),
        request
            .value("copyMode", Optional.empty(), name -> constant(CopyMode.class, name))
            .orElseGet(lun::copyMode),
        VolumeRequest.parse("initiators", rules, InitiatorRules::of)
            .orElseGet(() -> InitiatorRules.of(List.of())),
        ChapAccount.of(lun.chapUser(), lun.chapSecretFile()));
  }

  private static OptionalInt number(VolumeRequest request, RegistryStreamIscsiSettings.Lun lun)
      throws VolumeException {
    if (request.number("lun").isPresent()) {
      return OptionalInt.of(checked(request.number("lun").getAsLong()));
    }
    return request.isEmpty() && lun.lun().isPresent()
        ? OptionalInt.of(checked(lun.lun().get()))
        : OptionalInt.empty();
  }

  private static int checked(long number) throws VolumeException {
    if (number < 0 || number > MAX_LUN) {
      throw VolumeException.invalid("Reading lun: expected 0 to " + MAX_LUN + ", found " + number);
    }
    return (int) number;
  }

  private static List<String> list(String text) {
    return Arrays.stream(text.split(",", -1)).map(String::strip).toList();
  }

  static Optional<ImageFormat> format(String name) {
    if (name.equals("auto")) {
      return Optional.empty();
    }
    return Optional.of(
        ImageFormat.named(name)
            .filter(ImageFormat::onePass)
            .orElseThrow(() -> new IllegalArgumentException("Expected " + FORMATS)));
  }

  private static <E extends Enum<E>> E constant(Class<E> type, String name) {
    List<String> words = Arrays.stream(type.getEnumConstants()).map(LunRequest::word).toList();
    int index = words.indexOf(name);
    if (index < 0) {
      throw new IllegalArgumentException("Expected one of " + words);
    }
    return type.getEnumConstants()[index];
  }

  /// Returns an enum constant as users write it, such as `write-exclusive`.
  public static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// Returns whether every initiator that reaches the portal may use the LUN.
  public boolean isOpen() {
    return initiators.open() && chap.isEmpty();
  }

  public ChosenImage image() {
    return disk.image();
  }

  /// Returns the request as text without its initiators and CHAP credentials, for comparison after
  /// a restart.
  public String words() {
    return sameDisk()
        + "access=%s;copy=%s".formatted(word(access), word(copy))
        + (lun.isPresent() ? ";lun=" + lun.getAsInt() : "");
  }

  /// Returns whether this LUN counts as the image's one writable LUN of copy mode `none`.
  public boolean writesToImage() {
    return copy == CopyMode.NONE && access != AccessMode.READ_SHARED;
  }

  /// Returns the part of [#words] that is equal for all requests with the same disk.
  public String sameDisk() {
    return "image=%s;%s;platform=%s;diskType=%s;"
        .formatted(
            disk.reference(),
            disk.selection(),
            image().choice().platform(),
            image().choice().diskType());
  }
}
